import { describe, expect, it } from 'vitest';
import { composeText } from './compose-text.ts';
import { plantPoison } from './plant-poison.ts';
import type { CraftedPoison } from './types.ts';

const poison = (count: number): CraftedPoison => ({
  texts: Array.from({ length: count }, (_, index) => composeText([[`text ${index}`, 'payload']], index === 1 ? 'A title' : undefined)),
  targetAnswer: 'Bob',
  cost: { modelCalls: 0, encodedTexts: 0 },
});
const WHERE = { queryId: 'q1', attack: 'poisonedrag', seed: 7 };

const idsOf = (count: number, where: Partial<typeof WHERE> = {}): string[] =>
  plantPoison(poison(count), { ...WHERE, ...where }).passages.map(({ id }) => id);

describe('plantPoison', () => {
  it('makes a passage of each text, in order, and keeps the labels apart', () => {
    const { passages, labels } = plantPoison(poison(3), WHERE);
    expect(passages.map(({ id: _, ...passage }) => passage)).toEqual([
      { text: 'text 0' },
      { title: 'A title', text: 'text 1' },
      { text: 'text 2' },
    ]);
    expect([...labels.keys()]).toEqual(passages.map(({ id }) => id));
    for (const label of labels.values()) expect(label).toEqual({ queryId: 'q1', attack: 'poisonedrag' });
    expect(JSON.stringify(passages)).not.toMatch(/q1|poison|Bob|payload/);
  });

  it('gives ids of one form that say nothing', () => {
    for (const id of idsOf(20)) expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(idsOf(20)).not.toEqual(idsOf(20).sort());
  });

  it('gives the same ids again, whatever the texts and however many', () => {
    expect(idsOf(3)).toEqual(idsOf(5).slice(0, 3));
    const other = { ...poison(1), texts: [composeText([['other']])] };
    expect(plantPoison(other, WHERE).passages[0]!.id).toBe(idsOf(1)[0]);
  });

  it('gives every question, attack, seed and place its own', () => {
    const ids = Array.from({ length: 500 }, (_, index) => [
      ...idsOf(3, { queryId: `q${index + 2}` }),
      ...idsOf(3, { attack: `a${index}` }),
      ...idsOf(3, { seed: index + 100 }),
    ]).flat();
    expect(new Set(ids).size).toBe(4500);
  });

  it('of no text makes nothing', () => {
    expect(plantPoison(poison(0), WHERE)).toEqual({ passages: [], labels: new Map() });
  });
});
