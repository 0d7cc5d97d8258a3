import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { IndexDefenseFactory } from '../packages/core/src/core/define-index-defense.ts';
import * as indexDefenses from '../packages/core/src/index-defenses.generated.ts';
import { camelCase, indexDefenseSource, namesIn } from '../scripts/generate-registry.ts';
import { docstringOf } from './docs-parity.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');
const docs = read('docs/index-defenses.md');
const PARTS = ['Source:', 'Deviations:', '@returns', '@throws', 'Cost:', 'Assumes:', 'Fails when:', '@example'];

describe('the registry of index defenses', () => {
  it('is what the folder says, byte for byte', () => {
    expect(read('packages/core/src/index-defenses.generated.ts')).toBe(indexDefenseSource());
    expect(Object.keys(indexDefenses.INDEX_DEFENSES)).toEqual(namesIn('index-defenses'));
  });
});

describe.each(namesIn('index-defenses'))('%s', (name) => {
  const exported = camelCase(name);
  const docstring = docstringOf(read(`packages/core/src/index-defenses/${name}.ts`), exported, 'defineIndexDefense');
  const create = indexDefenses.INDEX_DEFENSES[name as keyof typeof indexDefenses.INDEX_DEFENSES] as unknown as IndexDefenseFactory;

  it('has one name: of its file, its definition, its SPEC, its entry and its export', () => {
    expect(create.definition.name).toBe(name);
    expect(create()).toMatchObject({ name, spec: name });
    expect((indexDefenses as Record<string, unknown>)[exported]).toBe(create);
  });

  it('has a docstring with every mandatory part, every option and its paper', () => {
    expect(PARTS.filter((part) => !docstring.includes(part))).toEqual([]);
    expect(Object.keys(create.optionSpecs).filter((option) => !docstring.includes(`@param options.${option} - `))).toEqual([]);
    const { source, summary } = create.definition;
    if (source) expect(docstring).toContain(source.url);
    expect(summary).toMatch(/^[A-Z].*\.$/);
    for (const { description } of Object.values(create.optionSpecs)) expect(description).toMatch(/^[A-Z].*\.$/);
  });

  it('has an example that does what it says', () => {
    const lines = docstring.split('@example')[1]!.trim().split('\n');
    const [, expression, value] = lines.pop()!.match(/^(.*?);\s*\/\/\s*(.*)$/)!;
    const body = ts.transpile(`function example() { ${lines.join('\n')}\nreturn [${expression}, ${value}]; }`, {
      target: ts.ScriptTarget.ES2022,
    });
    const scope = Object.keys(indexDefenses);
    const [actual, expected] = new Function(...scope, `${body}\nreturn example();`)(...Object.values(indexDefenses)) as [unknown, unknown];
    expect(actual).toEqual(expected);
  });

  it('has a section in docs/index-defenses.md that names each of its options', () => {
    const section = docs.split(new RegExp(`^### \`${name}\`$`, 'm'))[1]?.split(/^#{1,3} /m)[0];
    expect(section, `there is no "### \`${name}\`"`).toBeDefined();
    expect(Object.keys(create.optionSpecs).filter((option) => !section!.includes(`\`${option}\``))).toEqual([]);
  });
});
