/**
 * Writes what is generated from the folders: packages/core/src/registry.generated.ts (one entry a file in defenses, recipes and policies)
 * and packages/core/schema/policy.schema.json. `npm run generate` after adding a file; with `--check` nothing is written and a stale file fails.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const check = process.argv.includes('--check');
const core = fileURLToPath(new URL('../packages/core/', import.meta.url));

export const camelCase = (name: string): string => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

export const namesIn = (folder: string): string[] =>
  readdirSync(`${core}src/${folder}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -3))
    .sort();

export function registrySource(): string {
  const folders = { defenses: namesIn('defenses'), recipes: namesIn('recipes'), policies: namesIn('policies') };
  const imports = Object.entries(folders).flatMap(([folder, names]) =>
    names.map((name) => `import { ${camelCase(name)} } from './${folder}/${name}.ts';`),
  );
  const table = (names: readonly string[]): string => names.map((name) => `  '${name}': ${camelCase(name)},\n`).join('');
  return `// Generated from the folders by scripts/generate-registry.ts: run \`npm run generate\` after adding a file, never edit.
${imports.join('\n')}

/** Every defense by its SPEC name. */
export const DEFENSES = {
${table(folders.defenses)}};

/** Every named policy: papers' recipes, then our own. */
export const POLICIES = {
${table([...folders.recipes, ...folders.policies])}};

/** Which of the policies are papers' exact settings. */
export const RECIPE_NAMES = ${JSON.stringify(folders.recipes)} as const;

export { ${folders.defenses.map(camelCase).join(', ')} };
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
    console.error(`${path.slice(core.length)} is stale; run npm run generate`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  put(`${core}src/registry.generated.ts`, registrySource());
  put(`${core}schema/policy.schema.json`, await schemaSource());
}
