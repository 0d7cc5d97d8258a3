import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a package may import of ours. Nothing may import the command line; core/defenses can reach neither an attack nor a label. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  models: ['core'],
  stores: ['core'],
  redteam: ['core', 'models', 'stores'],
  bench: ['core', 'models', 'stores', 'redteam'],
  gateway: ['core', 'models', 'stores'],
  cli: ['core', 'models', 'stores', 'redteam', 'bench', 'gateway'],
};

/** What a folder (or file) of core's sources may import of the others. */
const INSIDE_CORE: Readonly<Record<string, readonly string[]>> = {
  'errors.ts': [],
  'types.ts': ['core'],
  kernels: ['kernels', 'errors.ts'],
  core: ['core', 'kernels', 'types.ts', 'errors.ts'],
  defenses: ['core', 'kernels', 'types.ts', 'errors.ts'],
  recipes: ['core', 'defenses', 'types.ts'],
  policies: ['core', 'defenses', 'types.ts'],
  stores: ['core', 'kernels', 'types.ts', 'errors.ts'],
  'index-defenses': ['core', 'kernels', 'types.ts', 'errors.ts', 'index-defenses'],
  'index-defenses.generated.ts': ['index-defenses'],
  testing: ['core', 'kernels', 'types.ts', 'errors.ts', 'testing'],
  'registry.generated.ts': ['defenses', 'recipes', 'policies'],
  'index.ts': ['core', 'kernels', 'types.ts', 'errors.ts', 'registry.generated.ts'],
};

/** The reader of SPECs must know the names; it is the one place in core/ that does. */
const KNOWS_THE_NAMES = 'packages/core/src/core/policy-file.ts';

const parse = (source: string): ts.SourceFile => ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true);

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Every module a source names, in whatever form; `?` for one that is computed. */
function importsOf(source: string): string[] {
  const found: string[] = [];
  const add = (node: ts.Node | undefined): void => void found.push(node && ts.isStringLiteralLike(node) ? node.text : '?');
  walk(parse(source), (node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier);
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node)) add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined);
    else if (ts.isExternalModuleReference(node)) add(node.expression);
    else if (ts.isCallExpression(node)) {
      const callee = node.expression;
      if (callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')) add(node.arguments[0]);
    }
  });
  return found;
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** What is wrong with one import of one file of `packages/NAME/src`; null when nothing is. */
function faultOf(file: string, specifier: string, manifest: Manifest): string | null {
  const [, owner, , ...inside] = file.split('/') as [string, string, string, ...string[]];
  if (specifier === '?') return owner === 'core' ? 'computes what it imports' : null;
  if (specifier.startsWith('.')) {
    const target = join(dirname(file), specifier);
    if (!target.startsWith(`packages/${owner}/src/`)) return 'leaves its package by a path';
    if (!specifier.endsWith('.ts')) return 'leaves out the extension .ts';
    if (owner !== 'core') return null;
    const [from, to] = [inside[0]!, target.split('/')[3]!];
    const allowed = INSIDE_CORE[from];
    if (!allowed) return `is in a folder without a rule: ${from}`;
    if (file === KNOWS_THE_NAMES && to === 'registry.generated.ts') return null;
    return allowed.includes(to) ? null : `${from} may not import ${to}`;
  }
  if (specifier.startsWith('node:')) return owner === 'core' ? 'needs Node' : null;
  const ours = specifier.match(/^@bezoar\/([^/]+)/)?.[1] ?? (/^bezoar(\/|$)/.test(specifier) ? 'cli' : null);
  if (ours !== null) return MAY_IMPORT[owner]?.includes(ours) ? null : `${owner} may not import ${ours}`;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
  if (owner === 'core') return 'core has no dependencies';
  return Object.hasOwn(declared, name) ? null : `${name} is not declared in packages/${owner}/package.json`;
}

const faultsOf = (file: string, source: string, manifest: Manifest): string[] =>
  importsOf(source).flatMap((specifier) => {
    const fault = faultOf(file, specifier, manifest);
    return fault === null ? [] : [`${file} imports ${specifier}: ${fault}`];
  });

/** Clocks, chance, environment and hosts: core is given them, it does not take them. */
const AMBIENT = new Set([
  ...['process', 'Buffer', 'require', 'global', 'globalThis', 'window', 'document', 'navigator', 'localStorage', 'self'],
  ...['fetch', 'XMLHttpRequest', 'WebSocket', 'crypto', 'console', 'eval', 'Function', 'Date', 'Intl', 'structuredClone', 'setInterval'],
  ...['setImmediate', 'queueMicrotask', 'performance', 'setTimeout', 'clearTimeout', 'AbortController'],
]);

/** The budget of a policy is real time, the default clock is the platform's, and long work lets others have a turn. */
const MAY_TAKE: Readonly<Record<string, readonly string[]>> = {
  'packages/core/src/core/defend.ts': ['setTimeout', 'clearTimeout', 'AbortController'],
  'packages/core/src/core/run-context.ts': ['performance'],
  'packages/core/src/defenses/pra-rag.ts': ['setTimeout'],
  'packages/core/src/index-defenses/ragpart.ts': ['setTimeout'],
};

function ambientIn(source: string): string[] {
  const found: string[] = [];
  walk(parse(source), (node) => {
    if (!ts.isIdentifier(node)) return;
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
      if (ts.isIdentifier(parent.expression) && parent.expression.text === 'Math' && node.text === 'random') found.push('Math.random');
      return;
    }
    // What only names something uses no value: a declaration, a property, a type.
    const { name, propertyName } = parent as { readonly name?: ts.Node; readonly propertyName?: ts.Node };
    if (name === node || propertyName === node || ts.isPartOfTypeNode(node) || ts.isTypeQueryNode(parent)) return;
    if (AMBIENT.has(node.text)) found.push(node.text);
  });
  return found;
}

/** Sources of a package that ship, by path from the root. */
function sourcesOf(owner: string): { readonly file: string; readonly source: string }[] {
  return readdirSync(`${root}packages/${owner}/src`, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !/\.test\.[cm]?[jt]sx?$/.test(path))
    .sort()
    .map((path) => ({ file: `packages/${owner}/src/${path}`, source: readFileSync(`${root}packages/${owner}/src/${path}`, 'utf8') }));
}

const owners = readdirSync(`${root}packages`).filter((name) => existsSync(`${root}packages/${name}/package.json`));

describe('the import order', () => {
  it('has a rule for every package', () => {
    expect(owners).toContain('core');
    expect(owners.filter((owner) => !MAY_IMPORT[owner])).toEqual([]);
  });

  it.each(owners)('is kept by %s', (owner) => {
    const manifest = JSON.parse(readFileSync(`${root}packages/${owner}/package.json`, 'utf8')) as Manifest;
    const sources = sourcesOf(owner);
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.flatMap(({ file, source }) => faultsOf(file, source, manifest))).toEqual([]);
  });

  it.each(owners)('is kept by the manifest of %s', (owner) => {
    const manifest = JSON.parse(readFileSync(`${root}packages/${owner}/package.json`, 'utf8')) as Manifest;
    expect(manifest.name).toBe(owner === 'cli' ? 'bezoar' : `@bezoar/${owner}`);
    const ours = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter((name) =>
      /^(@bezoar\/|bezoar$)/.test(name),
    );
    expect(ours.filter((name) => !MAY_IMPORT[owner]!.includes(name.replace('@bezoar/', '')))).toEqual([]);
    if (owner === 'core') expect(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })).toEqual([]);
  });
});

describe('core takes nothing from its surroundings', () => {
  it('but the time for budgets', () => {
    const taken = sourcesOf('core').flatMap(({ file, source }) =>
      ambientIn(source)
        .filter((name) => !MAY_TAKE[file]?.includes(name))
        .map((name) => `${file} uses ${name}`),
    );
    expect(taken).toEqual([]);
  });
});

describe('the checker', () => {
  const core: Manifest = { name: '@bezoar/core' };
  const models: Manifest = {
    name: '@bezoar/models',
    dependencies: { '@bezoar/core': '0' },
    peerDependencies: { 'onnxruntime-node': '1', '@huggingface/tokenizers': '1' },
  };

  it.each<[string, string[]]>([
    ["import { a } from './a.ts';", ['./a.ts']],
    ["import type { A } from './a.ts';", ['./a.ts']],
    ["import './a.ts';", ['./a.ts']],
    ["export { a } from './a.ts';", ['./a.ts']],
    ["export * from './a.ts';", ['./a.ts']],
    ["const a = await import('./a.ts');", ['./a.ts']],
    ['const a = await import(`./a.ts`);', ['./a.ts']],
    ['const a = await import(name);', ['?']],
    ["const a = require('a');", ['a']],
    ["type A = import('./a.ts').A;", ['./a.ts']],
    ["import a = require('a');", ['a']],
    ["// import { a } from 'a';\n/** import('b') */\nconst text = \"import 'c'\";", []],
    ['export const a = 1;', []],
  ])('reads %s', (source, expected) => {
    expect(importsOf(source)).toEqual(expected);
  });

  it.each<[string, string, Manifest, string | null]>([
    ['packages/core/src/defenses/a.ts', '../core/define-defense.ts', core, null],
    ['packages/core/src/defenses/a.ts', '../kernels/bm25.ts', core, null],
    ['packages/core/src/defenses/a.ts', '../types.ts', core, null],
    ['packages/core/src/defenses/a.ts', '../errors.ts', core, null],
    ['packages/core/src/defenses/a.ts', './b.ts', core, 'defenses may not import defenses'],
    ['packages/core/src/defenses/a.ts', '../recipes/b.ts', core, 'defenses may not import recipes'],
    ['packages/core/src/defenses/a.ts', '../testing/index.ts', core, 'defenses may not import testing'],
    ['packages/core/src/defenses/a.ts', '../registry.generated.ts', core, 'defenses may not import registry.generated.ts'],
    ['packages/core/src/defenses/a.ts', '../../../redteam/src/b.ts', core, 'leaves its package by a path'],
    ['packages/core/src/defenses/a.ts', '@bezoar/redteam', core, 'core may not import redteam'],
    ['packages/core/src/defenses/a.ts', '@bezoar/bench/labels', core, 'core may not import bench'],
    ['packages/core/src/defenses/a.ts', '@bezoar/core', core, 'core may not import core'],
    ['packages/core/src/defenses/a.ts', 'bezoar', core, 'core may not import cli'],
    ['packages/core/src/defenses/a.ts', 'node:fs', core, 'needs Node'],
    ['packages/core/src/defenses/a.ts', 'fs', core, 'core has no dependencies'],
    ['packages/core/src/defenses/a.ts', 'lodash/fp', core, 'core has no dependencies'],
    ['packages/core/src/defenses/a.ts', '?', core, 'computes what it imports'],
    ['packages/core/src/defenses/a.ts', '../types', core, 'leaves out the extension .ts'],
    ['packages/core/src/kernels/a.ts', './b.ts', core, null],
    ['packages/core/src/kernels/a.ts', '../errors.ts', core, null],
    ['packages/core/src/kernels/a.ts', '../types.ts', core, 'kernels may not import types.ts'],
    ['packages/core/src/kernels/a.ts', '../core/options.ts', core, 'kernels may not import core'],
    ['packages/core/src/core/defend.ts', '../registry.generated.ts', core, 'core may not import registry.generated.ts'],
    ['packages/core/src/core/policy-file.ts', '../registry.generated.ts', core, null],
    ['packages/core/src/core/policy-file.ts', '../defenses/a.ts', core, 'core may not import defenses'],
    ['packages/core/src/errors.ts', './types.ts', core, 'errors.ts may not import types.ts'],
    ['packages/core/src/attacks/a.ts', '../types.ts', core, 'is in a folder without a rule: attacks'],
    ['packages/models/src/a.ts', '@bezoar/core/kernels/bm25', models, null],
    ['packages/models/src/a.ts', 'onnxruntime-node', models, null],
    ['packages/models/src/a.ts', '@huggingface/tokenizers/x', models, null],
    ['packages/models/src/a.ts', 'node:fs', models, null],
    ['packages/models/src/a.ts', '?', models, null],
    ['packages/models/src/a.ts', 'openai', models, 'openai is not declared in packages/models/package.json'],
    [
      'packages/models/src/a.ts',
      '@huggingface/transformers',
      models,
      '@huggingface/transformers is not declared in packages/models/package.json',
    ],
    ['packages/models/src/a.ts', '@bezoar/stores', models, 'models may not import stores'],
    ['packages/models/src/a.ts', 'bezoar/x', models, 'models may not import cli'],
    ['packages/models/src/a.ts', '../../core/src/types.ts', models, 'leaves its package by a path'],
    ['packages/gateway/src/a.ts', '@bezoar/redteam', models, 'gateway may not import redteam'],
    ['packages/gateway/src/a.ts', '@bezoar/bench', models, 'gateway may not import bench'],
    ['packages/cli/src/commands/a.ts', '@bezoar/models', models, null],
    ['packages/cli/src/commands/a.ts', '../terminal.ts', models, null],
  ])('judges %s importing %s', (file, specifier, manifest, fault) => {
    expect(faultOf(file, specifier, manifest)).toBe(fault);
  });

  it('says which file imports what', () => {
    expect(faultsOf('packages/core/src/defenses/a.ts', "import 'node:fs';\nimport '../types.ts';", core)).toEqual([
      'packages/core/src/defenses/a.ts imports node:fs: needs Node',
    ]);
  });

  it.each<[string, string[]]>([
    ['const a = Math.random();', ['Math.random']],
    ['const a = Date.now() + performance.now();', ['Date', 'performance']],
    ['const a = process.env.X;', ['process']],
    ['const a = { now: globalThis.Date };', ['globalThis']],
    ['setTimeout(() => console.log(1));', ['setTimeout', 'console']],
    ['type A = Date; interface B { process: Buffer; fetch(): void }', []],
    ['const a = { process: 1, fetch() {} }; a.process; a.fetch();', []],
    ['const a = Math.max(1, 2); // process.exit()', []],
    ['const { process, fetch: get } = context;', []],
    ['let timer: ReturnType<typeof setTimeout>;', []],
  ])('finds what is ambient in %s', (source, expected) => {
    expect(ambientIn(source)).toEqual(expected);
  });
});
