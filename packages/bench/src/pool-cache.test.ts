import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { poolCache } from './pool-cache.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bezoar-pools-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const VALUE = [{ places: [3, 1], scores: [0.1 + 0.2, null, 1e-300] }, 'ü\ud800\n'];
/** Remembers `value` under `key`; whether it had to be made, and what came back. */
const ask = async (key: string, value: unknown = VALUE, folder: string | null = dir): Promise<[made: boolean, value: unknown]> => {
  let made = false;
  const got = await poolCache(folder)([key, 1], async () => {
    made = true;
    return value;
  });
  return [made, got];
};
const files = async (): Promise<string[]> => (await readdir(join(dir, 'pools'))).map((name) => join(dir, 'pools', name));

describe('poolCache', () => {
  it('gives back what was made before, by key, to the last digit', async () => {
    expect(await ask('a')).toEqual([true, VALUE]);
    expect(await ask('a', 'new')).toEqual([false, VALUE]);
    expect(await ask('b', 'other')).toEqual([true, 'other']);
    expect(await ask('b', 'new')).toEqual([false, 'other']);
    expect((await files()).map((file) => /[0-9a-f]{64}\.json$/.test(file))).toEqual([true, true]);
  });

  it('counts a damaged file as absent, and mends it', async () => {
    await ask('a');
    const [file] = await files();
    const whole = await readFile(file!, 'utf8');
    for (const damaged of ['', '\n', whole.slice(0, -1), whole.slice(1), whole.replace('3', '4'), `${whole} `, whole.replace('\n', ' ')]) {
      await writeFile(file!, damaged);
      expect(await ask('a', 'again')).toEqual([true, 'again']);
      expect(await ask('a', 'new')).toEqual([false, 'again']);
    }
  });

  it('takes no file of another key', async () => {
    await ask('a', 'of a');
    const [ofA] = await files();
    await ask('b', 'of b');
    const ofB = (await files()).find((file) => file !== ofA)!;
    await rename(ofA!, ofB);
    expect(await ask('b', 'new')).toEqual([true, 'new']);
  });

  it('keeps nothing that failed, and passes the failure on', async () => {
    await expect(poolCache(dir)('k', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await files()).toEqual([]);
  });

  it('works without a folder, and in one that cannot be written to', async () => {
    expect(await ask('a', 1, null)).toEqual([true, 1]);
    expect(await ask('a', 2, null)).toEqual([true, 2]);
    await ask('a');
    const [file] = await files();
    await rm(file!);
    // A folder where the file should be: renaming fails, as on a full disk, for root too.
    await poolCache(file!)('inside', async () => 1);
    expect(await ask('a', 'made')).toEqual([true, 'made']);
    expect(await ask('a', 'made again')).toEqual([true, 'made again']);
    expect((await files()).length).toBe(1);
  });

  it('says so when the folder cannot be made, before anything is computed', async () => {
    const file = join(dir, 'file');
    await writeFile(file, '');
    let made = false;
    const asked = poolCache(file)('k', async () => {
      made = true;
    });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('needs a folder') });
    expect(made).toBe(false);
  });
});
