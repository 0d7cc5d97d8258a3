#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.mjs', import.meta.url);
if (existsSync(built)) {
  await import(built.href);
} else {
  process.stderr.write('bezoar: not built yet; run npm run build at the root of the project\n');
  process.exitCode = 2;
}
