import { BezoarError } from '@bezoar/core';
import { describe, expect, it } from 'vitest';
import { attackFromSpec } from './attack-from-spec.ts';
import { ATTACKS } from './registry.generated.ts';

describe('attackFromSpec', () => {
  it.each(Object.keys(ATTACKS))('makes %s of its name', (name) => {
    expect(attackFromSpec(name)).toMatchObject({ name, spec: name });
  });

  it.each(['poisonedrag?question=false', 'query-as-poison?position=repeated&repeats=4', 'prompt-injection?definition=robustrag&repeats=5'])(
    'makes %s again of its own SPEC',
    (spec) => {
      expect(attackFromSpec(spec).spec).toBe(spec);
    },
  );

  it.each<[string, string, string]>([
    ['poisonrag', 'UNKNOWN_NAME', 'no attack is called "poisonrag"; did you mean poisonedrag?'],
    ['x', 'UNKNOWN_NAME', `no attack is called "x"; there are ${Object.keys(ATTACKS).join(', ')}`],
    ['toString', 'UNKNOWN_NAME', `no attack is called "toString"; there are ${Object.keys(ATTACKS).join(', ')}`],
    ['a\u001b[31m', 'UNKNOWN_NAME', `no attack is called "a\\u001b[31m"; there are ${Object.keys(ATTACKS).join(', ')}`],
    ['', 'INVALID_OPTION', '"": there is no name; write name?option=value&option=value'],
    [
      'poisonedrag?question',
      'INVALID_OPTION',
      '"poisonedrag?question": "question" is not option=value; write name?option=value&option=value',
    ],
    ['poisonedrag?question=maybe', 'INVALID_OPTION', 'poisonedrag: question is "maybe", expected on | off'],
    ['poisonedrag?questions=on', 'INVALID_OPTION', 'poisonedrag: unknown option "questions"; did you mean question?'],
    ['misinformation?x=1', 'INVALID_OPTION', 'misinformation: unknown option "x"; it takes none'],
    ['query-as-poison?repeats=21', 'INVALID_OPTION', 'query-as-poison: repeats is "21", expected whole number from 1 to 20'],
  ])('refuses %j', (spec, code, message) => {
    let thrown: unknown;
    try {
      attackFromSpec(spec);
    } catch (error) {
      thrown = error;
    }
    expect(BezoarError.is(thrown, code as 'UNKNOWN_NAME') && thrown.message).toBe(message);
  });

  it('names the closest in the details, for programs', () => {
    expect.assertions(1);
    try {
      attackFromSpec('poisonrag');
    } catch (error) {
      expect((error as BezoarError).details).toEqual({ field: 'name', closest: 'poisonedrag' });
    }
  });
});
