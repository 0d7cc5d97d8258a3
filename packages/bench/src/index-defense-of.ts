import { type IndexDefense, parseSpec } from '@bezoar/core';
import { INDEX_DEFENSES } from '@bezoar/core/index-defenses';

/** The index defense of a SPEC; null where it names something else. */
export function indexDefenseOf(spec: string): IndexDefense | null {
  const { name, options } = parseSpec(spec);
  return Object.hasOwn(INDEX_DEFENSES, name) ? INDEX_DEFENSES[name as keyof typeof INDEX_DEFENSES](options) : null;
}

/** The options of the index defense of that name; null where there is none. */
export const indexDefenseOptions = (name: string): string[] | null =>
  Object.hasOwn(INDEX_DEFENSES, name) ? Object.keys(INDEX_DEFENSES[name as keyof typeof INDEX_DEFENSES].optionSpecs) : null;
