export { type DefenseProperty, type DefenseSuite, HOSTILE_TEXTS, testDefense } from './test-defense.ts';
export { toyCrossEncoder, toyEncoder, toyLikelihood } from './toy-models.ts';
