import { BezoarError, closestName, parseSpec } from '@bezoar/core';
import type { AttackFactory } from './define-attack.ts';
import { ATTACKS } from './registry.generated.ts';
import type { Attack } from './types.ts';

/**
 * The attack of one SPEC: a name, or a name with options (`query-as-poison?position=suffix`).
 *
 * @throws {BezoarError} `UNKNOWN_NAME` with the closest name in `details.closest`; `INVALID_OPTION` for a malformed SPEC, an unknown option or
 *   a value out of its range.
 */
export function attackFromSpec(spec: string): Attack {
  const { name, options } = parseSpec(spec);
  const attacks: Readonly<Record<string, AttackFactory>> = ATTACKS;
  if (Object.hasOwn(attacks, name)) return attacks[name]!(options);
  const names = Object.keys(attacks);
  const near = closestName(name, names);
  throw new BezoarError(
    'UNKNOWN_NAME',
    `no attack is called ${JSON.stringify(name.slice(0, 80))}; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}`}`,
    { details: { field: 'name', closest: near } },
  );
}
