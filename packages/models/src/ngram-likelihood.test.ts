import { readFileSync } from 'node:fs';
import { createRandom } from '@bezoar/core/kernels/random';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../../../tests/shared-data.ts';
import { readNgramFile, writeNgramFile } from './ngram-file.ts';
import { loadNgramLikelihood, makeNgramLikelihood } from './ngram-likelihood.ts';

type Model = Awaited<ReturnType<typeof loadNgramLikelihood>>;

const SUBJECTS = ['The mayor', 'A baker', 'The old captain', 'My sister', 'Every farmer'];
const VERBS = ['opened', 'closed', 'painted', 'sold', 'found'];
const OBJECTS = ['the bridge', 'a house', 'the mill', 'his boat', 'the garden'];
const corpus = SUBJECTS.flatMap((subject) => VERBS.flatMap((verb) => OBJECTS.map((object) => `${subject} ${verb} ${object} in the town.`)));

describe('makeNgramLikelihood', () => {
  it('finds gibberish of a small corpus and calibrates on what it was not trained on', async () => {
    const { model, bytes, calibration } = await makeNgramLikelihood(corpus, { name: 'town', quantile: 0.9 });
    expect(calibration).toMatchObject({ name: 'town', quantile: 0.9, texts: 25 });
    expect(model.name).toBe('town');
    expect(model.threshold).toBe(calibration.surprise.threshold);
    expect(model.median!).toBeLessThan(model.threshold);
    const fluent = await model.score('The mayor sold the boat in the garden.');
    const salad = await model.score('boat the his opened mill baker in sister');
    expect(fluent.surprise!).toBeLessThan(salad.surprise!);
    expect(salad.surprise!).toBeGreaterThanOrEqual(model.threshold);
    const loaded = await loadNgramLikelihood({ bytes });
    expect(loaded).toMatchObject({ name: 'town', threshold: model.threshold, median: model.median, peak: model.peak });
    expect(await loaded.score('A baker painted a house.')).toEqual(await model.score('A baker painted a house.'));
  });

  it('takes texts that come one by one, and texts to calibrate on', async () => {
    async function* stream(): AsyncIterable<string> {
      yield* corpus;
    }
    const whole = await makeNgramLikelihood(stream(), { quantile: 0.5, calibrateOn: corpus.slice(0, 10) });
    const listed = await makeNgramLikelihood(corpus, { quantile: 0.5, calibrateOn: corpus.slice(0, 10) });
    expect(whole.bytes).toEqual(listed.bytes);
    expect(whole.calibration.texts).toBe(10);
    expect(whole.calibration.surprise.median).toBe(whole.calibration.surprise.threshold);
  });

  it('does not judge what is too short or of other words', async () => {
    const { model } = await makeNgramLikelihood(corpus);
    expect(model.score('')).toEqual({ surprise: null, tokens: 0, unscored: 'too-short' });
    expect(model.score('mayor')).toEqual({ surprise: null, tokens: 1, unscored: 'too-short' });
    expect(model.score('the mayor was hier und ging weg')).toEqual({ surprise: null, tokens: 7, unscored: 'other-language' });
    expect((await model.score('mayor mayor mayor hier weg')).surprise).not.toBeNull(); // 3 of 5 known is enough
  });

  it('says where the worst stretch is', async () => {
    const { model } = await makeNgramLikelihood(corpus);
    const clean = `${Array(10).fill('The mayor opened the bridge in the town.').join(' ')}`;
    const salad = Array(20).fill('boat his').join(' ').split(' ').slice(0, 20).join(' ');
    const { peak } = await model.score(`${clean} ${salad} ${clean}`);
    const stretch = `${clean} ${salad} ${clean}`.slice(peak!.start, peak!.end);
    expect(stretch.split(' ').length).toBe(20);
    expect(stretch.split(' ').filter((word) => word === 'boat' || word === 'his').length).toBeGreaterThan(17);
  });

  it('refuses a quantile outside (0, 1) and texts that leave nothing to calibrate on', async () => {
    for (const quantile of [0, 1, Number.NaN]) {
      await expect(makeNgramLikelihood(corpus, { quantile })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    }
    await expect(makeNgramLikelihood([])).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(makeNgramLikelihood(['a b', 'a b', 'a b', 'a b'])).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

describe('the file of an n-gram model', () => {
  it('gives back what was written', async () => {
    const { bytes } = await makeNgramLikelihood([...corpus, 'Ça va, été 橋 橋 橋', 'Ça va été', 'ça va été 橋'], {
      order: 3,
      minWordCount: 2,
    });
    const file = readNgramFile(bytes);
    expect(file.model.vocabulary).toContain('été');
    expect(file.model.levels.length).toBe(3);
    expect(writeNgramFile(file)).toEqual(bytes);
  });

  it('is refused cut off at any place, longer, or of another kind', async () => {
    const { bytes } = await makeNgramLikelihood(corpus.slice(0, 20), { quantile: 0.5 });
    for (let length = 0; length < bytes.length; length++) {
      expect(() => readNgramFile(bytes.subarray(0, length))).toThrow('not an n-gram model');
    }
    expect(() => readNgramFile(Uint8Array.of(...bytes, 0))).toThrow('not an n-gram model');
    const forged = new TextDecoder('latin1').decode(bytes).replace(/"vocabulary":\d\d/, '"vocabulary":99e9'.slice(0, 15));
    expect(() => readNgramFile(Uint8Array.from(forged, (char) => char.charCodeAt(0)))).toThrow('not an n-gram model');
    await expect(loadNgramLikelihood({ bytes: new Uint8Array(40) })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

describe('the built-in model', () => {
  let model: Model;
  beforeAll(async () => {
    model = await loadNgramLikelihood();
  });

  it('keeps English sentences and finds gibberish', async () => {
    expect(model.name).toBe('ngram-english');
    const fluent = await model.score('The city council voted on Monday to build a new bridge across the river, the mayor said.');
    const gibberish = await model.score(
      'adjoining whispered trombone fiscal ghetto peculiar overturn molasses quart dwarf sunset ligament bishop ankle crimson freight oxide',
    );
    expect(fluent.surprise!).toBeLessThan(model.threshold);
    expect(fluent.peak!.surprise).toBeLessThan(model.peak!.threshold);
    expect(gibberish.surprise!).toBeGreaterThanOrEqual(model.threshold);
  });

  it('does not judge other languages', async () => {
    for (const text of [
      'Die Brücke über den Fluss wurde im vergangenen Sommer gesperrt, weil sich Risse gezeigt hatten.',
      'La bibliothèque de la ville a rouvert ses portes au printemps après trois ans de travaux.',
      'Городской музей открыл новую выставку о жизни рыбаков.',
      '这座城市 去年 在 老火车站 旁边 新建了 一座 图书馆',
    ]) {
      expect(await model.score(text)).toMatchObject({ surprise: null, unscored: 'other-language' });
    }
  });

  it('takes long and hostile text', async () => {
    const long = await model.score('the bridge of the town '.repeat(20_000));
    expect(Number.isFinite(long.surprise)).toBe(true);
    for (const text of [
      '\ud800 \udfff',
      "'".repeat(10_000),
      `a${"'a".repeat(50_000)}`,
      '\u0301'.repeat(1000),
      '__proto__ constructor toString',
    ]) {
      const { surprise } = await model.score(text);
      expect(surprise === null || Number.isFinite(surprise)).toBe(true);
    }
  });
});

// Neither dataset was used for the thresholds. Both were set on others to the 0.995 quantile, so 1 % is expected; 2 % is the bound, stated
// before the built-in model was measured, as is four of five for a block of gibberish.
describe.skipIf(!hasShared)('the built-in model on passages it was not calibrated on', () => {
  const passages = (dataset: string): string[] =>
    readFileSync(sharedPath(`data/${dataset}/corpus.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { title: string; text: string })
      .map(({ title, text }) => (title === '' ? text : `${title}\n${text}`));
  const anomalous = async (model: Model, text: string): Promise<boolean> => {
    const { surprise, peak } = await model.score(text);
    return surprise !== null && (surprise >= model.threshold || peak!.surprise >= model.peak!.threshold);
  };
  const share = async (model: Model, texts: readonly string[]): Promise<number> => {
    const found = await Promise.all(texts.map((text) => anomalous(model, text)));
    return found.filter(Boolean).length / texts.length;
  };

  it.each(['realtimeqa', 'simpleqa'])('flags less than 2 in 100 passages of %s', async (dataset) => {
    expect(await share(await loadNgramLikelihood(), passages(dataset))).toBeLessThan(0.02);
  });

  it('flags four of five passages with 30 random wordpieces in front', async () => {
    const tokenizer = JSON.parse(readFileSync(sharedPath('models/all-MiniLM-L6-v2/tokenizer.json'), 'utf8')) as {
      model: { vocab: object };
    };
    const pieces = Object.keys(tokenizer.model.vocab).filter((piece) => !/^\[.+\]$/.test(piece));
    const random = createRandom(7);
    const salad = (): string =>
      Array.from({ length: 30 }, () => pieces[random.integer(pieces.length)]!)
        .join(' ')
        .replaceAll(/ ?##/g, '');
    const texts = random.shuffle(passages('simpleqa')).slice(0, 300);
    const poisoned = texts.map((text) => `${salad()} ${text}`);
    expect(await share(await loadNgramLikelihood(), poisoned)).toBeGreaterThan(0.8);
  });
});
