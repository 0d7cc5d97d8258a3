import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as core from '../packages/core/src/index.ts';
import { toyEncoder } from '../packages/core/src/testing/index.ts';
import * as models from '../packages/models/src/index.ts';
import { camelCase, namesIn, registrySource, schemaSource } from '../scripts/generate-registry.ts';
import { docstringOf, sectionOf } from './docs-parity.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : '');
const folder = 'packages/core/src/defenses';
const docs = read('docs/defenses.md');

const PARTS = ['Source:', 'Deviations:', '@returns', '@throws', 'Cost:', 'Assumes:', 'Fails when:', '@example'];
const missingParts = (docstring: string): string[] => PARTS.filter((part) => !docstring.includes(part));

/** English words that no one would say in this order. */
const gibberish = 'trombone fiscal ghetto peculiar overturn molasses quart dwarf ligament bishop ankle crimson freight oxide adjoining';

/** Runs the code of an `@example`, whose last line is `expression; // value`; both sides come back. */
async function runExample(docstring: string): Promise<[actual: unknown, expected: unknown]> {
  const code = docstring.split('@example')[1]!.trim();
  const lines = code.split('\n');
  const last = lines.pop()!.match(/^(.*?);\s*\/\/\s*(.*)$/);
  if (!last) throw new Error(`the last line of the example is not "expression; // value": ${code}`);
  const scope: Record<string, unknown> = { ...models, ...core, encoder: toyEncoder(), gibberish };
  const body = ts.transpile(`async function example() { ${lines.join('\n')}\nreturn [${last[1]}, ${last[2]}]; }`, {
    target: ts.ScriptTarget.ES2022,
  });
  const names = Object.keys(scope);
  return await new Function(...names, `${body}\nreturn example();`)(...names.map((name) => scope[name]));
}

describe('the registry', () => {
  it('is what the folders and the generator say, byte for byte', () => {
    expect(read('packages/core/src/registry.generated.ts')).toBe(registrySource());
  });

  it('gives the committed schema, byte for byte', async () => {
    expect(read('packages/core/schema/policy.schema.json')).toBe(await schemaSource());
  });

  it('has the defenses of the folder under their file names', () => {
    expect(Object.keys(core.DEFENSES)).toEqual(namesIn('defenses'));
    expect(Object.keys(core.POLICIES)).toEqual([...namesIn('recipes'), ...namesIn('policies')]);
    expect(core.RECIPE_NAMES).toEqual(namesIn('recipes'));
  });
});

describe.each(namesIn('defenses'))('%s', (name) => {
  const source = read(`${folder}/${name}.ts`);
  const exported = camelCase(name);
  const create = core.DEFENSES[name as keyof typeof core.DEFENSES] as core.DefenseFactory;
  const { definition, optionSpecs } = create;

  it('has one name: of its file, its definition, its SPEC, its entry and its export', () => {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(definition.name).toBe(name);
    expect(create()).toMatchObject({ name, spec: name });
    expect((core as Record<string, unknown>)[exported]).toBe(create);
    expect(source.match(/^export const \w+/gm)?.filter((line) => line.endsWith(` ${exported}`))).toHaveLength(1);
  });

  it('has a test beside it that runs the conformance suite', () => {
    expect(read(`${folder}/${name}.test.ts`)).toMatch(/\btestDefense\(\{/);
  });

  it('has a docstring with every mandatory part and every option', () => {
    const docstring = docstringOf(source, exported, 'defineDefense');
    expect(missingParts(docstring)).toEqual([]);
    expect(Object.keys(definition.options).filter((option) => !docstring.includes(`@param options.${option} - `))).toEqual([]);
  });

  it('has an example that does what it says', async () => {
    const [actual, expected] = await runExample(docstringOf(source, exported, 'defineDefense'));
    expect(actual).toEqual(expected);
  });

  it('names its paper as the docstring does', () => {
    const docstring = docstringOf(source, exported, 'defineDefense');
    if (definition.source === null) return expect(docstring).toMatch(/Source: (none|ours)/i);
    const { url, year } = definition.source;
    expect(url).toMatch(/^https:\/\//);
    expect(docstring).toContain(url);
    expect(docstring).toContain(String(year));
  });

  it('describes itself, its options and its reasons in a line each', () => {
    expect(definition.summary).toMatch(/^[A-Z].*\.$/);
    for (const [option, { description, expected }] of Object.entries(optionSpecs)) {
      expect(option).toMatch(/^[a-z][a-zA-Z0-9]*$/);
      expect(description, option).toMatch(/^\S.*\.$/);
      expect(expected).not.toBe('');
    }
    for (const [code, { meaning }] of Object.entries(definition.reasons)) {
      expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(meaning, code).toMatch(/^\S.*[^.\s]$/);
      expect(Object.keys(core.SEAL_REASONS), `${code} is the seal's`).not.toContain(code);
    }
  });

  it('has a section in docs/defenses.md that names each of its options', () => {
    const section = sectionOf(docs, name);
    expect(section, `there is no "### \`${name}\`" in docs/defenses.md`).not.toBeNull();
    expect(Object.keys(definition.options).filter((option) => !section!.includes(`\`${option}\``))).toEqual([]);
  });
});

describe.each(Object.entries(core.POLICIES))('%s', (name, policy) => {
  it('has one name: of its file, its definition, its entry and its export', () => {
    expect(policy.name).toBe(name);
    const place = (core.RECIPE_NAMES as readonly string[]).includes(name) ? 'recipes' : 'policies';
    expect(read(`packages/core/src/${place}/${name}.ts`)).toContain(`export const ${camelCase(name)} = definePolicy({`);
    expect(policy.description).toMatch(/^[A-Z].*\.$/);
  });

  it('is named by authors and year of its paper where it is a recipe', () => {
    if (!(core.RECIPE_NAMES as readonly string[]).includes(name)) return expect(policy.source).toBeNull();
    const { authors, year } = policy.source!;
    expect(name).toMatch(new RegExp(`-${authors.split(/[\s,]/)[0]!.toLowerCase()}-${year}$`));
  });

  it('is not the name of a defense too', () => {
    expect(Object.keys(core.DEFENSES)).not.toContain(name);
  });
});

describe('docs/defenses.md', () => {
  it('speaks of no defense that is not there', () => {
    const named = [...docs.matchAll(/^### `([^`]+)`\s*$/gm)].map(([, name]) => name!);
    expect(named.filter((name) => !Object.hasOwn(core.DEFENSES, name) && !Object.hasOwn(core.POLICIES, name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });
});

describe('the checks themselves', () => {
  it('find the section of a defense, to the next heading', () => {
    const page = '# D\n### `a`\none `x`\n#### more\ntwo\n### `ab`\nthree\n## Next\nfour';
    expect(sectionOf(page, 'a')).toBe('one `x`\n#### more\ntwo');
    expect(sectionOf(page, 'ab')).toBe('three');
    expect(sectionOf(page, 'b')).toBeNull();
    expect(sectionOf('### `a`\nlast', 'a')).toBe('last');
  });

  it('find the docstring that stands before the export, and nothing else', () => {
    const source = '/** Another. */\nconst x = 1;\n\n/**\n * Does.\n *\n * Cost: none.\n */\nexport const toy = defineDefense({});';
    expect(docstringOf(source, 'toy', 'defineDefense')).toBe('Does.\n\nCost: none.');
    expect(docstringOf('/** Another. */\nconst x = 1;\nexport const toy = defineDefense({});', 'toy', 'defineDefense')).toBe('');
    expect(docstringOf('export const toy = defineDefense({});', 'toy', 'defineDefense')).toBe('');
  });

  it('miss a part that is left out', () => {
    expect(missingParts('Source: a. Deviations: b. @returns c @throws d Cost: e Assumes: f. @example g')).toEqual(['Fails when:']);
  });

  it('see an example that is wrong, or has no value', async () => {
    expect(await runExample('Text.\n\n@example\nconst a = none();\na.name; // "none"')).toEqual(['none', 'none']);
    expect(await runExample('@example\nconst a: number = 1;\na + 1; // 3')).toEqual([2, 3]);
    await expect(runExample('@example\nconst a = 1;')).rejects.toThrow('the last line of the example');
    await expect(runExample('@example\nnobody(); // 1')).rejects.toThrow('nobody');
  });
});
