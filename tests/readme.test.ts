import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as core from '@bezoar/core';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/defenses.md'];
const page = (name: string): string => readFileSync(`${root}${name}`, 'utf8');
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => match[1]!);

describe.each(PAGES)('%s', (name) => {
  it('links to files that exist', () => {
    const links = [...page(name).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1]!);
    const folder = name.includes('/') ? `${name.slice(0, name.lastIndexOf('/'))}/` : '';
    for (const link of links) expect(existsSync(`${root}${folder}${link}`), link).toBe(true);
  });

  it('imports only what core exports', () => {
    for (const block of blocks(page(name), 'ts')) {
      for (const [, names] of block.matchAll(/import \{([^}]*)\} from '@bezoar\/core'/g)) {
        for (const imported of names!.split(',').map((part) => part.trim())) {
          if (imported !== '' && !imported.startsWith('type ')) expect(Object.keys(core), imported).toContain(imported);
        }
      }
    }
  });

  it('shows policy files that are valid', () => {
    for (const block of blocks(page(name), 'yaml')) expect(core.parsePolicyFile(parse(block)).policy.stages.length).toBeGreaterThan(0);
  });
});

it('the README shows a policy file, a library example and the two commands', () => {
  const readme = page('README.md');
  expect(blocks(readme, 'yaml')).toHaveLength(1);
  expect(blocks(readme, 'ts').length).toBeGreaterThan(0);
  expect(readme).toContain('npm ci && npm run demo');
  expect(readme).toContain('npm ci && npm test');
});
