// Generated from the folders by scripts/generate-registry.ts: run `npm run generate` after adding a file, never edit.
import { misinformation } from './attacks/misinformation.ts';
import { poisonedrag } from './attacks/poisonedrag.ts';

/** Every attack by its SPEC name. */
export const ATTACKS = {
  'misinformation': misinformation,
  'poisonedrag': poisonedrag,
};

export { misinformation, poisonedrag };
