import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { benchRegistrySource, camelCase, namesIn } from '../../../scripts/generate-registry.ts';
import { METRICS } from './registry.generated.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : '');
const docs = read('docs/metrics.md');

/** What a section says after each of these words, in this order. */
const PARTS = ['Formula', 'Denominator', 'Not assessed', 'Interval', 'Comparable with', 'Not with'];

const INTERVALS = { rate: 'Wilson', ratio: 'bootstrap', quantile: 'order statistics' };

/** The text under `### \`name\`` to the next heading; null where there is none. */
function sectionOf(page: string, name: string): string | null {
  const lines = page.split('\n');
  const start = lines.indexOf(`### \`${name}\``);
  if (start < 0) return null;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('#'));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join('\n');
}

const partsOf = (section: string): string[] => [...section.matchAll(/^- \*\*([^*]+)\.\*\* \S/gm)].map(([, part]) => part!);

describe('the registry of metrics', () => {
  it('is what the folder and the generator say, byte for byte', () => {
    expect(read('packages/bench/src/registry.generated.ts')).toBe(benchRegistrySource());
    expect(METRICS.map(({ name }) => name)).toEqual(namesIn('metrics', 'bench').map(camelCase));
  });

  it('has no name and no title twice', () => {
    expect(new Set(METRICS.map(({ name }) => name)).size).toBe(METRICS.length);
    expect(new Set(METRICS.map(({ title }) => title)).size).toBe(METRICS.length);
  });
});

describe.each(namesIn('metrics', 'bench'))('%s', (file) => {
  const name = camelCase(file);
  const source = read(`packages/bench/src/metrics/${file}.ts`);
  const metric = METRICS.find((one) => one.name === name)!;

  it('has one name: of its file, its export and its entry', () => {
    expect(file).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(source.match(/^export const \w+/gm)).toEqual([`export const ${name}`]);
    expect(metric?.name).toBe(name);
  });

  it('has a test beside it, of its own name', () => {
    const test = read(`packages/bench/src/metrics/${file}.test.ts`);
    expect(test).toContain(`describe('${name}'`);
    expect(test).toContain(`${name}.observe(`);
  });

  it('says in its docstring where it comes from', () => {
    const docstring = source.slice(source.indexOf('/**'), source.indexOf(`export const ${name}`));
    expect(docstring).toMatch(/\bSource: \S/);
  });

  it('describes itself in a few words and in a sentence', () => {
    expect(metric.title).toMatch(/^\S.{0,18}\S$/);
    expect(metric.summary).toMatch(/^[A-Z][^\n]*\.$/);
    expect(metric.quantile !== undefined).toBe(metric.kind === 'quantile');
  });

  it('has a section in docs/metrics.md with every part, and the right interval', () => {
    const section = sectionOf(docs, name);
    expect(section, `there is no "### \`${name}\`" in docs/metrics.md`).not.toBeNull();
    expect(partsOf(section!)).toEqual(PARTS);
    expect(section!.replaceAll(/\s+/g, ' ')).toContain(metric.summary);
    const interval = section!.split('- **Interval.**')[1]!.split('\n')[0]!;
    expect(interval.toLowerCase()).toContain(INTERVALS[metric.kind].toLowerCase());
  });

  it('has a row in the summary that says what it is', () => {
    const { unit, better, summary, kind } = metric;
    expect(docs).toContain(`\n| [\`${name}\`](#${name.toLowerCase()}) | ${summary} | ${unit} | ${better} | ${INTERVALS[kind]} |\n`);
  });
});

describe('docs/metrics.md', () => {
  it('speaks of no metric that is not there, and of none twice', () => {
    const sections = [...docs.matchAll(/^### `([^`]+)`$/gm)].map(([, name]) => name!);
    const rows = [...docs.matchAll(/^\| \[`([^`]+)`\]/gm)].map(([, name]) => name!);
    const names = METRICS.map(({ name }) => name).sort();
    expect(sections.toSorted()).toEqual(names);
    expect(rows).toEqual(sections);
  });

  it('links to headings that are there', () => {
    const anchors = new Set(
      [...docs.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      ),
    );
    const links = [...docs.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
    expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  });
});

describe('the checks themselves', () => {
  it('find a section to the next heading, and nothing for a name that only begins alike', () => {
    expect(sectionOf('### `ab`\none\n### `a`\ntwo\n## Next\nthree', 'a')).toBe('two');
    expect(sectionOf('### `ab`\none', 'a')).toBeNull();
    expect(sectionOf('### `a`\nlast', 'a')).toBe('last');
  });

  it('see parts that are there and not empty', () => {
    expect(partsOf('- **Formula.** x\n- **Interval.** \n- **Not with.** y')).toEqual(['Formula', 'Not with']);
  });
});
