/**
 * Writes what is generated from the folders: a registry.generated.ts in core (defenses, recipes, policies), redteam (attacks) and bench (metrics,
 * reporters), one entry a file, and the published schemas: packages/core/schema/policy.schema.json, packages/bench/schema/result.schema.json.
 * `npm run generate` after adding a file; with `--check` nothing is written and a stale file fails.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const check = process.argv.includes('--check');
const packages = fileURLToPath(new URL('../packages/', import.meta.url));

export const camelCase = (name: string): string => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Names of the mechanisms in `packages/OWNER/src/FOLDER`: its files, without their tests. */
export const namesIn = (folder: string, owner = 'core'): string[] =>
  readdirSync(`${packages}${owner}/src/${folder}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -3))
    .sort();

const HEAD = '// Generated from the folders by scripts/generate-registry.ts: run `npm run generate` after adding a file, never edit.';

const importsOf = (folder: string, names: readonly string[]): string =>
  names.map((name) => `import { ${camelCase(name)} } from './${folder}/${name}.ts';`).join('\n');

const tableOf = (names: readonly string[]): string => names.map((name) => `  '${name}': ${camelCase(name)},\n`).join('');

export function registrySource(): string {
  const folders = { defenses: namesIn('defenses'), recipes: namesIn('recipes'), policies: namesIn('policies') };
  return `${HEAD}
${Object.entries(folders)
  .map(([folder, names]) => importsOf(folder, names))
  .join('\n')}

/** Every defense by its SPEC name. */
export const DEFENSES = {
${tableOf(folders.defenses)}};

/** Every named policy: papers' recipes, then our own. */
export const POLICIES = {
${tableOf([...folders.recipes, ...folders.policies])}};

/** Which of the policies are papers' exact settings. */
export const RECIPE_NAMES = ${JSON.stringify(folders.recipes)} as const;

export { ${folders.defenses.map(camelCase).join(', ')} };
`;
}

export function indexDefenseSource(): string {
  const names = namesIn('index-defenses');
  return `${HEAD}
${importsOf('index-defenses', names)}

/** Every index defense by its SPEC name. */
export const INDEX_DEFENSES = {
${tableOf(names)}};

export { ${names.map(camelCase).join(', ')} };
`;
}

export function attackRegistrySource(): string {
  const names = namesIn('attacks', 'redteam');
  return `${HEAD}
${importsOf('attacks', names)}

/** Every attack by its SPEC name. */
export const ATTACKS = {
${tableOf(names)}};

export { ${names.map(camelCase).join(', ')} };
`;
}

export function benchRegistrySource(): string {
  const folders = { metrics: namesIn('metrics', 'bench'), reporters: namesIn('reporters', 'bench') };
  return `${HEAD}
import type { Metric } from './define-metric.ts';
import type { Reporter } from './define-reporter.ts';
${Object.entries(folders)
  .map(([folder, names]) => importsOf(folder, names))
  .join('\n')}

/** Every metric. */
export const METRICS: readonly Metric[] = [
${folders.metrics.map((name) => `  ${camelCase(name)},\n`).join('')}];

/** Every reporter by the name that \`--format\` takes. */
export const REPORTERS: Readonly<Record<string, Reporter>> = {
${tableOf(folders.reporters)}};
`;
}

/** Reads the registry, so it comes after it was written. */
export async function schemaSource(): Promise<string> {
  const { policyFileSchema } = (await import('../packages/core/src/core/policy-file.ts')) as { policyFileSchema: () => unknown };
  return `${JSON.stringify(policyFileSchema(), null, 2)}\n`;
}

function put(path: string, content: string): void {
  const current = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (current === content) return;
  if (check) {
    console.error(`packages/${path.slice(packages.length)} is stale; run npm run generate`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  put(`${packages}core/src/registry.generated.ts`, registrySource());
  put(`${packages}core/src/index-defenses.generated.ts`, indexDefenseSource());
  put(`${packages}redteam/src/registry.generated.ts`, attackRegistrySource());
  put(`${packages}bench/src/registry.generated.ts`, benchRegistrySource());
  put(`${packages}core/schema/policy.schema.json`, await schemaSource());
  const { RESULT_SCHEMA } = (await import('../packages/bench/src/result-schema.ts')) as { RESULT_SCHEMA: object };
  put(`${packages}bench/schema/result.schema.json`, `${JSON.stringify(RESULT_SCHEMA, null, 2)}\n`);
}
