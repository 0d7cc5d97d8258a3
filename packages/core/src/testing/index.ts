export { type DefenseProperty, type DefenseSuite, HOSTILE_TEXTS, testDefense } from './test-defense.ts';
export { type StoreProperty, type StoreSuite, testStore } from './test-store.ts';
export { toyCrossEncoder, toyEncoder, toyLikelihood } from './toy-models.ts';
