import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as core from '@bezoar/core';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { attackRegistrySource, camelCase, namesIn } from '../../../scripts/generate-registry.ts';
import { docstringOf, sectionOf } from '../../../tests/docs-parity.ts';
import type { AttackFactory } from './define-attack.ts';
import * as redteam from './index.ts';
import { toyContext } from './testing/toy-context.ts';
import type { AttackNeed } from './types.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : '');
const folder = 'packages/redteam/src/attacks';
const docs = read('docs/attacks.md');
const attacks: Readonly<Record<string, AttackFactory>> = redteam.ATTACKS;

const DOCSTRING_PARTS = ['Source:', 'Deviations:', '@returns', '@throws', 'Cost:', 'Assumes:', 'Fails when:', '@example'];
const DOCS_PARTS = ['**Source.**', '**Threat model.**', '**Needs.**', '**Deviations.**', '**Placement.**', '**Success.**', '**Cost.**'];
const missing = (text: string, parts: readonly string[]): string[] => parts.filter((part) => !text.includes(part));

/** How the docs say what an attack takes. */
const NEED_WORDS: Readonly<Record<AttackNeed, string>> = {
  'wrong-texts': 'wrong texts',
  'target-answer': 'target answer',
  passages: 'passages of the corpus',
  embeddings: 'an encoder',
  'language-model': 'a language model',
};

/** Runs the code of an `@example`, whose last line is `expression; // value`; both sides come back. */
async function runExample(docstring: string): Promise<[actual: unknown, expected: unknown]> {
  const lines = docstring.split('@example')[1]!.trim().split('\n');
  const last = lines.pop()!.match(/^(.*?);\s*\/\/\s*(.*)$/);
  if (!last) throw new Error('the last line of the example is not "expression; // value"');
  const context = toyContext({}, [{ id: 'p', text: 'Bread needs salt and water.' }]);
  const scope: Record<string, unknown> = { ...core, ...redteam, context };
  const body = ts.transpile(`async function example() { ${lines.join('\n')}\nreturn [${last[1]}, ${last[2]}]; }`, {
    target: ts.ScriptTarget.ES2022,
  });
  const names = Object.keys(scope);
  return await new Function(...names, `${body}\nreturn example();`)(...names.map((name) => scope[name]));
}

describe('the registry', () => {
  it('is what the folder and the generator say, byte for byte', () => {
    expect(read('packages/redteam/src/registry.generated.ts')).toBe(attackRegistrySource());
    expect(Object.keys(attacks)).toEqual(namesIn('attacks', 'redteam'));
  });
});

describe.each(namesIn('attacks', 'redteam'))('%s', (name) => {
  const source = read(`${folder}/${name}.ts`);
  const exported = camelCase(name);
  const create = attacks[name]!;
  const { definition, optionSpecs } = create;
  const docstring = docstringOf(source, exported, 'defineAttack');
  const section = sectionOf(docs, name) ?? '';

  it('has one name: of its file, its definition, its SPEC, its entry and its export', () => {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(definition.name).toBe(name);
    expect(create()).toMatchObject({ name, spec: name, source: definition.source });
    expect((redteam as Record<string, unknown>)[exported]).toBe(create);
    expect(source.match(/^export const \w+/gm)).toEqual([`export const ${exported}`]);
  });

  it('has a test beside it that runs the conformance suite', () => {
    expect(read(`${folder}/${name}.test.ts`)).toMatch(/\btestAttack\(\{/);
  });

  it('has a docstring with every mandatory part and every option', () => {
    expect(missing(docstring, DOCSTRING_PARTS)).toEqual([]);
    expect(Object.keys(optionSpecs).filter((option) => !docstring.includes(`@param options.${option} - `))).toEqual([]);
  });

  it('has an example that does what it says', async () => {
    const [actual, expected] = await runExample(docstring);
    expect(actual).toEqual(expected);
  });

  it('names its paper as docstring and docs do', () => {
    if (definition.source === null) return expect(docstring).toMatch(/Source: none/);
    const { url, year, title } = definition.source;
    expect(url).toMatch(/^https:\/\//);
    for (const text of [docstring, section]) {
      expect(text).toContain(url);
      expect(text).toContain(String(year));
    }
    expect(title).not.toBe('');
  });

  it('describes itself and its options in a line each', () => {
    expect(definition.summary).toMatch(/^[A-Z].*\.$/);
    for (const [option, { description, expected }] of Object.entries(optionSpecs)) {
      expect(option).toMatch(/^[a-z][a-zA-Z0-9]*$/);
      expect(description, option).toMatch(/^\S.*\.$/);
      expect(expected).not.toBe('');
    }
  });

  it('has a section in docs/attacks.md with every part, option, default and need', () => {
    expect(section, `there is no "### \`${name}\`" in docs/attacks.md`).not.toBe('');
    expect(missing(section, DOCS_PARTS)).toEqual([]);
    const shown = (value: unknown): string => (typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value));
    for (const [option, spec] of Object.entries(optionSpecs)) {
      const row = section.split('\n').find((line) => line.startsWith(`| \`${option}\` |`));
      expect(row?.split('|')[2]?.trim(), `default of ${option}`).toBe(shown(spec.default));
    }
    const stated = section.slice(section.indexOf('**Needs.**')).split('\n- **')[0]!;
    expect(
      missing(
        stated.replace(/\s+/g, ' '),
        create().needs.map((need) => NEED_WORDS[need]),
      ),
    ).toEqual([]);
  });

  it('stands in the summary of docs/attacks.md', () => {
    expect(docs).toContain(`| [\`${name}\`](#${name}) |`);
  });
});

describe('docs/attacks.md', () => {
  it('speaks of no attack that is not there, and of each once', () => {
    const named = [...docs.matchAll(/^### `([^`]+)`$/gm)].map(([, name]) => name!);
    expect(named.sort()).toEqual(Object.keys(attacks).sort());
  });
});

describe('the checks themselves', () => {
  it('find the section of an attack, to the next heading', () => {
    const page = '# D\n### `a`\none `x`\n#### more\ntwo\n### `ab`\nthree\n## Next\nfour';
    expect(sectionOf(page, 'a')).toBe('one `x`\n#### more\ntwo');
    expect(sectionOf(page, 'ab')).toBe('three');
    expect(sectionOf(page, 'b')).toBeNull();
    expect(sectionOf('### `a`\nlast', 'a')).toBe('last');
  });

  it('find the docstring that stands before the export, and nothing else', () => {
    const source = '/** Another. */\nconst x = 1;\n\n/**\n * Does.\n *\n * Cost: none.\n */\nexport const toy = defineAttack({});';
    expect(docstringOf(source, 'toy', 'defineAttack')).toBe('Does.\n\nCost: none.');
    expect(docstringOf('/** Another. */\nconst x = 1;\nexport const toy = defineAttack({});', 'toy', 'defineAttack')).toBe('');
    expect(docstringOf('export const toy = defineAttack({});', 'toy', 'defineAttack')).toBe('');
  });

  it('miss a part that is left out', () => {
    expect(missing('Source: a. Deviations: b. @returns c @throws d Cost: e Assumes: f. @example g', DOCSTRING_PARTS)).toEqual([
      'Fails when:',
    ]);
  });

  it('see an example that is wrong, or has no value', async () => {
    expect(await runExample('Text.\n\n@example\nconst a: number = 1;\na + 1; // 3')).toEqual([2, 3]);
    await expect(runExample('@example\nconst a = 1;')).rejects.toThrow('the last line of the example');
    await expect(runExample('@example\nnobody(); // 1')).rejects.toThrow('nobody');
  });
});
