// Generated from the folders by scripts/generate-registry.ts: run `npm run generate` after adding a file, never edit.


/** Every index defense by its SPEC name. */
export const INDEX_DEFENSES = {
};

export {  };
