import { describe, expect, it } from 'vitest';
import { none } from '../defenses/none.ts';
import { BezoarError } from '../errors.ts';
import { definePolicy, type PolicyDefinition } from './define-policy.ts';

const fault = (definition: unknown): BezoarError => {
  try {
    definePolicy(definition as PolicyDefinition);
  } catch (error) {
    if (BezoarError.is(error)) return error;
  }
  throw new Error('no error of ours was thrown');
};

describe('definePolicy', () => {
  it('fills in the documented defaults', () => {
    expect(definePolicy({ stages: [] })).toEqual({
      name: 'custom',
      description: '',
      source: null,
      stages: [],
      keep: 5,
      budgetMs: null,
      onError: 'degrade',
      mode: 'enforce',
      passageText: 'title-and-text',
      unscorable: 'drop',
      seed: 0,
    });
  });

  it('is frozen, and keeps a list of stages of its own', () => {
    const stages = [none()];
    const policy = definePolicy({ stages });
    stages.pop();
    expect(policy.stages).toHaveLength(1);
    expect(Object.isFrozen(policy) && Object.isFrozen(policy.stages)).toBe(true);
  });

  it.each<[object, string, string]>([
    [{ keep: 0 }, 'keep', 'policy custom: keep is 0, expected whole number from 1 to 10000'],
    [{ budgetMs: -1 }, 'budgetMs', 'policy custom: budgetMs is -1, expected number of at least 0 (none)'],
    [{ onError: 'ignore' }, 'onError', 'policy custom: onError is "ignore", expected pass | refuse | degrade'],
    [{ mode: 'off' }, 'mode', 'policy custom: mode is "off", expected enforce | monitor'],
    [{ seed: 0.5 }, 'seed', 'policy custom: seed is 0.5, expected whole number from 0 to 4294967295'],
    [{ name: 'mine', onErorr: 'pass' }, 'onErorr', 'policy mine: unknown option "onErorr"; did you mean onError?'],
  ])('refuses %j', (settings, field, message) => {
    const error = fault({ stages: [], ...settings });
    expect([error.code, error.message, error.details.field]).toEqual(['INVALID_OPTION', message, field]);
  });

  it('refuses missing stages, and what is no defense', () => {
    expect(fault({})).toMatchObject({ code: 'BAD_CONFIG', details: { field: 'stages' } });
    expect(fault({ stages: 'none' })).toMatchObject({ code: 'BAD_CONFIG', details: { field: 'stages' } });
    for (const stage of [none, 'none', null, undefined, {}]) {
      expect(fault({ stages: [none(), stage] })).toMatchObject({ code: 'BAD_CONFIG', details: { field: 'stages[1]' } });
    }
  });
});
