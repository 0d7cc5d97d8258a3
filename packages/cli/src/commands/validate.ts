import { printable } from '@bezoar/bench/layout';
import { BezoarError } from '@bezoar/core';
import { findPolicyFile, POLICY_FILES, readPolicy } from '../read-policy.ts';
import { EXIT } from '../run-command.ts';
import { paint, type Terminal } from '../terminal.ts';

/** Checks a policy file and prints what it says in a line. */
export async function validate(file: string | undefined, terminal: Terminal): Promise<number> {
  const path = file ?? findPolicyFile(terminal);
  if (path === null) throw new BezoarError('NOT_FOUND', `there is no ${POLICY_FILES[0]} in this folder; name a file: bezoar validate FILE`);
  const { policy, encoder } = await readPolicy(path, terminal);
  const stages = policy.stages.map((stage) => stage.spec).join(' -> ') || 'no stages, everything goes through';
  const settings = `keep ${policy.keep}, on error ${policy.onError}, ${policy.mode}${policy.budgetMs === null ? '' : `, ${policy.budgetMs} ms`}${encoder ? `, encoder ${encoder}` : ''}`;
  await terminal.write(`${printable(path)}: ${paint(terminal, 'green', 'valid')}\n  ${printable(stages)}\n  ${printable(settings)}\n`);
  return EXIT.done;
}
