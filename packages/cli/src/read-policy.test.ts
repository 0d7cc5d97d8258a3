// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of policy files are written so.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BezoarError, type PolicyFile } from '@bezoar/core';
import { describe, expect, it, vi } from 'vitest';
import { memoryTerminal, temporaryFolder } from '../../../tests/memory-terminal.ts';
import { findPolicyFile, POLICY_FILES, readPolicy } from './read-policy.ts';

function read(name: string, content: string, env: Readonly<Record<string, string>> = {}): Promise<PolicyFile> {
  const terminal = memoryTerminal({ env });
  writeFileSync(join(terminal.cwd, name), content);
  return readPolicy(name, terminal);
}

async function fault(name: string, content: string, env: Readonly<Record<string, string>> = {}): Promise<BezoarError> {
  const error = await read(name, content, env).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!BezoarError.is(error)) throw new Error(`expected a BezoarError, got ${String(error)}`);
  return error;
}

const YAML = `version: 1
name: mine
stages:
  - sanitize
  - name: grada
    weights: bm25
    keep: 3
keep: 4
budgetMs: 250
onError: refuse
encoder: onnx:DIR
openai:
  baseUrl: http://localhost:1234/v1
`;
const CONTENT = {
  version: 1,
  name: 'mine',
  stages: ['sanitize', { name: 'grada', weights: 'bm25', keep: 3 }],
  keep: 4,
  budgetMs: 250,
  onError: 'refuse',
  encoder: 'onnx:DIR',
  openai: { baseUrl: 'http://localhost:1234/v1' },
};

describe('readPolicy', () => {
  it.each([
    ['p.yaml', YAML],
    ['p.yml', `\ufeff${YAML.replaceAll('\n', '\r\n')}`],
    ['p.json', JSON.stringify(CONTENT)],
    [
      'p.ts',
      `interface Keeps { keep: number }\nconst own: Keeps = { keep: 4 };\nexport default { ...${JSON.stringify(CONTENT)}, ...own };`,
    ],
    ['p.mjs', `export default ${JSON.stringify(CONTENT)};`],
  ])('reads %s', async (name, content) => {
    const { policy, encoder, openai } = await read(name, content);
    expect(policy.stages.map((stage) => stage.spec)).toEqual(['sanitize', 'grada?weights=bm25&keep=3']);
    expect(policy).toMatchObject({ name: 'mine', keep: 4, budgetMs: 250, onError: 'refuse', mode: 'enforce' });
    expect(encoder).toBe('onnx:DIR');
    expect(openai).toEqual({ baseUrl: 'http://localhost:1234/v1' });
  });

  it.each([
    ['a key', 'version: 1\nstages: [none]\nkep: 3\n', 3, 'unknown key "kep"; did you mean keep?'],
    ['a key with a dot', 'version: 1\n\nstages: [none]\nopenai.baseUrl: x\n', 4, 'unknown key "openai.baseUrl"'],
    ['a key that is a number', 'version: 1\nstages: [none]\n1: 3\n', 3, 'unknown key "1"'],
    ['a setting', 'version: 1\nstages: [none]\n\nkeep: 0\n', 4, 'policy custom: keep is 0, expected whole number from 1 to 10000'],
    ['a key inside', 'version: 1\nstages: [none]\nopenai:\n  baseurl: x\n', 4, 'unknown key "baseurl"; did you mean baseUrl?'],
    [
      'a stage',
      'version: 1\nstages:\n  - none\n  - grda\n',
      4,
      'stages[1]: no defense, recipe or policy is called "grda"; did you mean grada?',
    ],
    [
      'a stage’s option',
      'version: 1\nstages:\n  - name: grada\n    alpa: 1\n',
      4,
      'stages[0]: grada: unknown option "alpa"; did you mean alpha?',
    ],
    ['an option’s value', 'version: 1\nstages:\n  - none\n  - grada?keep=x\n', 4, 'stages[1]: grada: keep is "x", expected whole number'],
    ['the version', '# mine\nversion: 2\nstages: []\n', 2, 'version is 2, expected 1'],
    ['a repeated key', 'version: 1\nstages: []\nversion: 1\n', 3, 'Map keys must be unique'],
    ['its form', 'version: 1\nstages: [none\nkeep: 3\n', 3, ''],
    ['a second document', 'version: 1\nstages: []\n---\nversion: 1\n', 3, 'a second document begins; a policy file holds one'],
  ])('names file, line and fault of %s', async (_, content, line, said) => {
    const error = await fault('p.yaml', content);
    expect(error.code).toBe('BAD_CONFIG');
    expect(error.message.startsWith(`p.yaml line ${line}: ${said}`), error.message).toBe(true);
    expect(error.details).toMatchObject({ file: 'p.yaml', line });
  });

  it('names the line in JSON too, and the file alone where there are no lines', async () => {
    expect((await fault('p.json', '{\n  "version": 1,\n  "stages": ["none"],\n  "modes": "monitor"\n}')).message).toBe(
      'p.json line 4: unknown key "modes"; did you mean mode?',
    );
    expect((await fault('p.ts', 'export default { version: 1, stages: ["none"], kep: 2 };')).message).toBe(
      'p.ts: unknown key "kep"; did you mean keep?',
    );
  });

  it('fills in ${NAME} and ${NAME:default} from the environment', async () => {
    const content = 'version: 1\nstages: [none]\nkeep: ${KEEP:7}\nencoder: openai:${MODEL}\nopenai: { apiKey: "${KEY:}-x" }\n';
    const filled = await read('p.yaml', content, { MODEL: 'm', KEY: 'secret' });
    expect(filled).toMatchObject({ policy: { keep: 7 }, encoder: 'openai:m', openai: { apiKey: 'secret-x' } });
    expect(await read('p.yaml', content, { MODEL: 'm', KEEP: '2', KEY: '' })).toMatchObject({
      policy: { keep: 2 },
      openai: { apiKey: '-x' },
    });
    const { message } = await fault('p.yaml', content);
    expect(message).toBe('p.yaml line 4: encoder needs the environment variable MODEL, which is not set; set it or write ${MODEL:default}');
  });

  it('does not fill in what came from the environment again', async () => {
    const { encoder } = await read('p.yaml', 'version: 1\nstages: []\nencoder: ${A}\n', { A: '${B}', B: 'secret' });
    expect(encoder).toBe('${B}');
  });

  it.each([
    [
      'a bomb of aliases',
      `a: &a [${'x,'.repeat(9)}x]\n${'bcdefgh'.replace(/./g, (key, index) => `${key}: &${key} [${`*${'abcdefg'[index]},`.repeat(9)}1]\n`)}`,
      /^p\.yaml: Excessive alias count/,
    ],
    ['an alias of nothing', 'version: 1\nstages: *nothing\n', /^p\.yaml: Unresolved alias/],
    ['an alias of itself', 'version: 1\nstages: &a [*a]\n', /^p\.yaml is nested too deeply$/],
    ['a deep nest', `version: 1\nstages: ${'['.repeat(20_000)}`, /^p\.yaml line 2: /],
    ['nothing', '', /^p\.yaml: the file /],
    ['a prototype', 'version: 1\nstages: []\n__proto__: { keep: 1 }\n', /^p\.yaml line 3: unknown key "__proto__"/],
  ])('refuses %s in a sentence', async (_, content, said) => {
    const started = performance.now();
    const error = await fault('p.yaml', content);
    expect(error.code).toBe('BAD_CONFIG');
    expect(error.message).toMatch(said);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('says why a TypeScript file cannot be loaded, and keeps no compiled code where others could put some', async () => {
    const folder = temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    expect((await fault('p.ts', 'export default {')).message).toMatch(/^p\.ts cannot be loaded: /);
    expect((await fault('p.ts', 'throw new Error("no\\nmore")')).message).toBe('p.ts cannot be loaded: no');
    await read('q.ts', 'export default { version: 1, stages: [] } as const;');
    vi.unstubAllEnvs();
    expect(readdirSync(folder).filter((name) => !name.startsWith('bezoar-cli-'))).toEqual([]);
  });

  it('says so where there is no file', async () => {
    const terminal = memoryTerminal();
    mkdirSync(join(terminal.cwd, 'folder.yaml'));
    await expect(readPolicy('nope.yaml', terminal)).rejects.toThrow('nope.yaml does not exist; check the path');
    await expect(readPolicy('nope.ts', terminal)).rejects.toThrow('nope.ts does not exist; check the path');
    await expect(readPolicy('folder.yaml', terminal)).rejects.toThrow('folder.yaml is a folder; name a file');
  });
});

describe('findPolicyFile', () => {
  it('takes the first there is, in a fixed order', () => {
    const terminal = memoryTerminal();
    expect(findPolicyFile(terminal)).toBeNull();
    for (const name of POLICY_FILES.toReversed()) {
      writeFileSync(join(terminal.cwd, name), '');
      expect(findPolicyFile(terminal)).toBe(name);
    }
  });
});
