export { type AttackProperty, type AttackSuite, testAttack } from './test-attack.ts';
export { toyContext } from './toy-context.ts';
