import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { html as markup, visible } from '../packages/bench/src/html/markup.ts';
import { html } from '../packages/bench/src/reporters/html.ts';
import { HOSTILE_STRINGS, sampleResult } from '../packages/bench/src/testing/sample-result.ts';
import type { BenchResult } from '../packages/bench/src/types.ts';

/** A real browser, where there is one: `BEZOAR_CHROMIUM`, else Debian's place. */
const chromium = process.env.BEZOAR_CHROMIUM ?? '/usr/bin/chromium';
const hasBrowser = existsSync(chromium);
if (!hasBrowser) console.warn(`SKIPPED: no browser at ${chromium}; set BEZOAR_CHROMIUM or install Debian's chromium`);

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly request?: { readonly url: string }; readonly entry?: { readonly text: string } };
  readonly result?: { readonly targetId?: string; readonly sessionId?: string; readonly result?: { readonly value?: unknown } };
  readonly error?: { readonly message: string };
}

/** Chromium over its debugging pipe: JSON messages that end in a zero byte, out on descriptor 3 and in on 4. */
class Browser {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private events: Message[] = [];
  private session: string | undefined;
  private sent = 0;

  constructor(profile: string) {
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
    const more = ['--disable-component-update', '--disable-sync', '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'];
    this.child = spawn(chromium, [...flags, ...more], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    let rest = Buffer.alloc(0);
    (this.child.stdio[4] as Readable).on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        const message = JSON.parse(rest.subarray(0, end).toString()) as Message;
        rest = rest.subarray(end + 1);
        if (message.id === undefined) this.events.push(message);
        else this.waiting.get(message.id)!(message);
      }
    });
  }

  private send(method: string, params: object = {}): Promise<NonNullable<Message['result']>> {
    const id = ++this.sent;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ result, error }) => (result ? resolve(result) : reject(new Error(`${method}: ${error?.message}`))));
      (this.child.stdio[3] as Writable).write(
        `${JSON.stringify({ id, method, params, ...(this.session ? { sessionId: this.session } : {}) })}\0`,
      );
    });
  }

  async start(): Promise<void> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    this.session = sessionId!;
    for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await this.send(`${domain}.enable`);
  }

  /** Loads a page at a width; what was requested beside it, and what it complained of. */
  async open(url: string, width = 1400): Promise<{ readonly requests: readonly string[]; readonly complaints: readonly string[] }> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height: 1000, deviceScaleFactor: 1, mobile: false });
    this.events = [];
    await this.send('Page.navigate', { url });
    while (!this.events.some(({ method }) => method === 'Page.loadEventFired')) await new Promise((resolve) => setTimeout(resolve, 10));
    // What an onerror or a late request would still do.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const complaints = this.events.filter(({ method }) =>
      ['Log.entryAdded', 'Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Page.javascriptDialogOpening'].includes(method ?? ''),
    );
    return {
      requests: this.events.flatMap(({ method, params }) =>
        method === 'Network.requestWillBeSent' && params!.request!.url !== url ? [params!.request!.url] : [],
      ),
      complaints: complaints.map(({ method, params }) => params?.entry?.text ?? method!),
    };
  }

  /** The value of an expression in the page, where the page's own scripts would not run. */
  async value<T>(expression: string): Promise<T> {
    const { result } = await this.send('Runtime.evaluate', { expression, returnByValue: true });
    return result!.value as T;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.child.on('close', resolve));
    await this.send('Browser.close').catch(() => undefined);
    await closed;
  }
}

/** Every element with the names of its attributes, in order: all that hostile text must not change. */
const STRUCTURE = `[...document.querySelectorAll('*')].map((one) => {
  let depth = 0;
  for (let up = one.parentElement; up; up = up.parentElement) depth++;
  return depth + one.localName + '[' + one.getAttributeNames().join() + ']';
})`;

/** Markup that would say so if it ever ran, or would call out, from every place where it may come to stand. */
const CANARIES = [
  '<img src=x onerror="window.canary=1">',
  '"><svg onload="window.canary=1">',
  "'><script>window.canary=1</script>",
  '</style><script>window.canary=1</script>',
  '</title></desc></svg><script>window.canary=1</script>',
  '" onfocus="window.canary=1" autofocus="',
  '<link rel=stylesheet href="http://127.0.0.1:9/canary.css"><style>@import "http://127.0.0.1:9/x";*{background:url(http://127.0.0.1:9/y)}</style>',
  '<iframe srcdoc="<script>parent.canary=1</script>"></iframe><meta http-equiv=refresh content="0;url=http://127.0.0.1:9/z">',
  '<a href="javascript:window.canary=1">x</a><base href="http://127.0.0.1:9/">',
];

/** What the page decides by; everything else is free text to it. */
const DECISIVE = new Set(['outcome', 'label', 'similarity']);

/** Objects whose keys are free text too. */
const NAMED_FREELY = new Set(['metrics', 'versions', 'sweep', 'settings']);

/** Every string of a result led by a canary, but for what the page decides by. */
function booby<T>(value: T, name = '', count = { of: 0 }): T {
  const canary = (): string => CANARIES[count.of++ % CANARIES.length]!;
  if (typeof value === 'string') return (DECISIVE.has(name) ? value : `${canary()} ${value}`) as T;
  if (Array.isArray(value)) return value.map((item) => booby(item as unknown, name, count)) as T;
  if (value === null || typeof value !== 'object') return value;
  const inner = Object.entries(value).map(([key, one]) => [key, booby(one as unknown, key, count)] as const);
  const named = NAMED_FREELY.has(name) ? inner.slice(0, 1).map(([key, one]) => [`${canary()} ${key}`, one] as const) : [];
  return Object.fromEntries([...inner, ...named]) as T;
}

const pageOf = (result: BenchResult): string => [...html.render(result, { columns: 100, colour: false })].join('');

describe.skipIf(!hasBrowser)('the HTML report in Chromium', { timeout: 120_000 }, () => {
  let folder = '';
  let browser: Browser;
  let pages = 0;

  const show = async (page: string, width?: number) => {
    const path = join(folder, `${pages++}.html`);
    await writeFile(path, page);
    return browser.open(pathToFileURL(path).href, width);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bezoar-report-'));
    browser = new Browser(join(folder, 'profile'));
    await browser.start();
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  it.each([{}, { sweep: true, diagnose: true, repeats: true }])(
    'a hostile sample has the elements of a benign one (%j)',
    async (options) => {
      const benign = await show(pageOf(sampleResult(options)));
      const expected = await browser.value<string[]>(STRUCTURE);
      const hostile = await show(pageOf(sampleResult({ ...options, hostile: true })));
      const found = await browser.value<string[]>(STRUCTURE);
      expect(expected.length).toBeGreaterThan(1000);
      expect(found).toEqual(expected);
      expect([benign, hostile]).toEqual([
        { requests: [], complaints: [] },
        { requests: [], complaints: [] },
      ]);
    },
  );

  it('nothing runs and nothing is requested, wherever markup stands, with the content policy and without', async () => {
    const page = pageOf(booby(sampleResult({ sweep: true, diagnose: true, repeats: true, hostile: true })));
    const unguarded = page.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '');
    expect(unguarded.length).toBeLessThan(page.length);
    for (const one of [page, unguarded]) {
      expect(await show(one)).toEqual({ requests: [], complaints: [] });
      expect(await browser.value('typeof window.canary')).toBe('undefined');
      expect(
        await browser.value(
          `document.querySelectorAll('script,img,iframe,link,base,object,embed,form,[onerror],[onload],[onfocus]').length`,
        ),
      ).toBe(0);
      expect(await browser.value(`document.querySelectorAll('style').length`)).toBe(1);
    }
  });

  it('the canaries do run, and call out, where nothing is escaped', async () => {
    const { requests } = await show(
      `<!doctype html><title>x</title>${CANARIES[2]}${CANARIES[0]}<link rel=stylesheet href="http://127.0.0.1:9/canary.css">`,
    );
    expect(await browser.value('window.canary')).toBe(1);
    expect(requests).toContain('http://127.0.0.1:9/canary.css');
  });

  it('the text that is seen of a hostile passage is its visible text, whole', async () => {
    const result = sampleResult({ hostile: true });
    await show(pageOf(result));
    const index = result.cells.findIndex(({ outcomes }) => outcomes.breached > 0);
    const record = result.cells[index]!.records.find(({ outcome }) => outcome === 'breached')!;
    const seen = await browser.value<string[]>(
      `[...document.querySelector('#failed-${index} article').querySelectorAll('td.passage')].map((cell) => [...cell.querySelectorAll('bdi.text')].map((one) => one.textContent).join(''))`,
    );
    expect(seen).toEqual(result.pools[record.pool!]!.passages.map(({ passage }) => visible(result.passages[passage]!.text)));
  });

  it('whatever the text, Chromium reads it back between tags, in attributes and in drawings', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...HOSTILE_STRINGS, ...CANARIES, '&', '<', '>', '"', "'", '&lt', '&#0;', ']]>', '-->', '\r\n', '\u0000', '\ud800'),
      fc.string({ unit: 'binary' }),
    );
    const texts = fc.sample(
      fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
      { numRuns: 500, seed: 20261121 },
    );
    const rows = texts.map((text) => markup`<p title="${text}">${text}</p><svg><title>${text}</title></svg>`);
    const { complaints } = await show(`<!doctype html><meta charset="utf-8"><title>x</title>${rows.map(({ source }) => source).join('')}`);
    const read = await browser.value<[string, string, string][]>(
      `[...document.querySelectorAll('p')].map((one) => [one.textContent, one.title, one.nextElementSibling.firstChild.textContent])`,
    );
    expect(read).toEqual(texts.map((text) => [visible(text), visible(text), visible(text)]));
    expect(complaints).toEqual([]);
  });

  it.each([400, 1400])('at %d pixels nothing but tables and charts scrolls sideways', async (width) => {
    await show(pageOf(sampleResult({ sweep: true, diagnose: true, repeats: true, hostile: true })), width);
    await browser.value('document.querySelectorAll("details").forEach((one) => { one.open = true; })');
    expect(await browser.value('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  });
});
