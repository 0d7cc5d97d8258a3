export { attackFromSpec } from './attack-from-spec.ts';
export { composeText, type TextPart } from './compose-text.ts';
export {
  type AttackDefinition,
  type AttackFactory,
  type CraftContext,
  type CraftOutcome,
  defineAttack,
  MAX_POISONS,
} from './define-attack.ts';
export { deriveSeed } from './derive-seed.ts';
export { type MadeWrongTexts, makeWrongTexts, type WrongTextsSettings, type WrongTextsTarget } from './make-wrong-texts.ts';
export { type PlantedPoison, type PoisonLabel, plantPoison } from './plant-poison.ts';
export * from './registry.generated.ts';
export type * from './types.ts';
