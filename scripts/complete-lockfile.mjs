/**
 * Run after `npm install`: `node scripts/complete-lockfile.mjs`. npm leaves packages for other platforms out of package-lock.json when they are not
 * to be had where it runs (a registry that serves one platform, an old node_modules), and `npm ci` then refuses the file everywhere. This adds
 * them from the optionalDependencies that name them: the exact version, and the platform that the name says, so that each machine takes its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** What a package's name says of the platform it is for, e.g. `binding-linux-arm-gnueabihf`. */
function platformOf(name) {
  const parts = name.split('/').at(-1).split(/[-.]/);
  const os = SYSTEMS.filter((system) => parts.includes(system));
  const cpu = PROCESSORS.filter((processor) => parts.includes(processor));
  const libc = parts.some((part) => part.startsWith('musl')) ? ['musl'] : parts.some((part) => part.startsWith('gnu')) ? ['glibc'] : [];
  return {
    ...(os.length > 0 ? { os } : {}),
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 && os.includes('linux') ? { libc } : {}),
  };
}

let added = 0;
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    const platform = platformOf(name);
    if (lock.packages[place] || !/^\d+\.\d+\.\d+/.test(version) || (!platform.os && !platform.cpu)) continue;
    lock.packages[place] = { version, ...platform, ...(entry.dev ? { dev: true } : {}), optional: true };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages for other platforms added to package-lock.json`);
