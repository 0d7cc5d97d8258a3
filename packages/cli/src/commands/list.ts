import { METRICS, REPORTERS, readSuite, SUITE_NAMES } from '@bezoar/bench';
import { table } from '@bezoar/bench/layout';
import {
  BezoarError,
  closestName,
  DEFENSES,
  ERROR_CODES,
  type JsonValue,
  type OptionSpecs,
  POLICIES,
  type Policy,
  RECIPE_NAMES,
  type Reasons,
  SEAL_REASONS,
} from '@bezoar/core';
import { ATTACKS } from '@bezoar/redteam';
import { type CommonOptions, EXIT } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';

interface Listing {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What `--format json` prints. */
  readonly json: JsonValue;
}

const listing = (head: readonly string[], records: readonly Readonly<Record<string, string>>[]): Listing => ({
  head,
  rows: records.map((record) => Object.values(record)),
  json: records,
});

const ENCODERS = [
  { name: 'static', what: 'the built-in default: 256 numbers a text, no native code, ships with the package' },
  {
    name: 'onnx:DIR',
    what: 'a folder with tokenizer.json and model.onnx; needs onnxruntime-node or onnxruntime-web, and @huggingface/tokenizers',
  },
  { name: 'openai:MODEL', what: 'an OpenAI-compatible embeddings endpoint; OPENAI_BASE_URL and OPENAI_API_KEY, or the policy file' },
];

const ROLES: Readonly<Record<string, () => Listing | Promise<Listing>>> = {
  defenses: () =>
    listing(
      ['name', 'kind', 'source', 'what it does'],
      Object.values(DEFENSES).map(({ definition }) => ({
        name: definition.name,
        kind: definition.kind,
        source: definition.source ? `${definition.source.authors} ${definition.source.year}` : 'own',
        what: definition.summary,
      })),
    ),
  recipes: () =>
    listing(
      ['name', 'what it runs'],
      named((name) => (RECIPE_NAMES as readonly string[]).includes(name)),
    ),
  policies: () =>
    listing(
      ['name', 'what it runs'],
      named((name) => !(RECIPE_NAMES as readonly string[]).includes(name)),
    ),
  attacks: () =>
    listing(
      ['name', 'source', 'what it plants'],
      Object.values(ATTACKS).map(({ definition: { name, source, summary } }) => ({
        name,
        source: source ? `${source.authors} ${source.year}` : 'own',
        what: summary,
      })),
    ),
  metrics: () =>
    listing(
      ['name', 'unit', 'better', 'what it is'],
      METRICS.map(({ name, unit, better, summary }) => ({ name, unit, better: better ?? 'neither', what: summary })),
    ),
  reports: () =>
    listing(
      ['format', 'what it is'],
      Object.values(REPORTERS).map(({ name, summary }) => ({ name, what: summary })),
    ),
  suites: async () => {
    const suites = await Promise.all(SUITE_NAMES.map((name) => readSuite(name)));
    return listing(
      ['name', 'parts', 'what it measures', 'source'],
      suites.map(({ name, title, source, parts }) => ({ name, parts: String(parts.length), title, source })),
    );
  },
  encoders: () => listing(['spec', 'what it is'], ENCODERS),
  reasons: () => {
    const own = Object.values(DEFENSES).flatMap(({ definition }) => reasonRows(definition.reasons, definition.name));
    return listing(['reason', 'given by', 'what it means'], [...reasonRows(SEAL_REASONS, 'every stage'), ...own]);
  },
  errors: () =>
    listing(
      ['code', 'what it means'],
      Object.entries(ERROR_CODES).map(([code, what]) => ({ code, what })),
    ),
};

const named = (wanted: (name: string) => boolean): { name: string; what: string }[] =>
  Object.entries(POLICIES as Readonly<Record<string, Policy>>).flatMap(([name, policy]) =>
    wanted(name) ? [{ name, what: policy.description }] : [],
  );

const reasonRows = (reasons: Reasons, by: string): { reason: string; by: string; what: string }[] =>
  Object.entries(reasons).map(([reason, { meaning }]) => ({ reason, by, what: meaning }));

/** Prints what there is of a role, or one defense or attack with its options. */
export async function list(
  role: string | undefined,
  name: string | undefined,
  options: CommonOptions & { readonly format: string },
  terminal: Terminal,
): Promise<number> {
  if (role === undefined) {
    const roles = Object.keys(ROLES);
    await terminal.write(options.format === 'json' ? `${JSON.stringify(roles)}\n` : `bezoar list ${roles.join(' | ')}\n`);
    return EXIT.done;
  }
  const found = Object.hasOwn(ROLES, role) ? await ROLES[role]!() : undefined;
  if (!found) throw unknown('roles', role, Object.keys(ROLES));
  const shown = name === undefined ? found : await details(role, name, found);
  await terminal.write(
    options.format === 'json' ? `${JSON.stringify(shown.json, null, 2)}\n` : table(shown.head, shown.rows, terminal.columns),
  );
  return EXIT.done;
}

const optionsOf = (specs: OptionSpecs): Listing =>
  listing(
    ['option', 'default', 'takes', 'what it does'],
    Object.entries(specs).map(([option, spec]) => {
      // What no value means stands in brackets behind what an option takes.
      const [, takes = spec.expected, otherwise = 'none'] = (spec.default === null && /^(.+) \(([^()]+)\)$/.exec(spec.expected)) || [];
      const fallback = typeof spec.default === 'boolean' ? (spec.default ? 'on' : 'off') : String(spec.default ?? otherwise);
      return { option, default: fallback, takes, what: spec.description };
    }),
  );

async function details(role: string, name: string, all: Listing): Promise<Listing> {
  if (role === 'defenses' && Object.hasOwn(DEFENSES, name)) return optionsOf(DEFENSES[name as keyof typeof DEFENSES].optionSpecs);
  // An attack without options is shown as its row.
  if (role === 'attacks' && Object.hasOwn(ATTACKS, name)) {
    const { optionSpecs } = ATTACKS[name as keyof typeof ATTACKS];
    if (Object.keys(optionSpecs).length > 0) return optionsOf(optionSpecs);
  }
  if (role === 'suites' && (SUITE_NAMES as readonly string[]).includes(name)) {
    const { parts } = await readSuite(name);
    return listing(
      ['part', 'what it measures'],
      parts.map(({ title }, index) => ({ part: String(index + 1), title })),
    );
  }
  if ((role === 'recipes' || role === 'policies') && Object.hasOwn(POLICIES, name)) {
    const { stages } = POLICIES[name as keyof typeof POLICIES];
    return listing(
      ['stage', 'spec'],
      stages.map((stage, index) => ({ stage: String(index + 1), spec: stage.spec })),
    );
  }
  const rows = all.rows.filter((row) => row[0] === name);
  if (rows.length === 0)
    throw unknown(
      role,
      name,
      all.rows.map((row) => row[0]!),
    );
  return { head: all.head, rows, json: (all.json as readonly JsonValue[]).filter((_, index) => all.rows[index]![0] === name) };
}

function unknown(among: string, name: string, names: readonly string[]): BezoarError {
  const near = closestName(name, names);
  return new BezoarError(
    'UNKNOWN_NAME',
    `there is no ${JSON.stringify(name.slice(0, 80))} among the ${among}; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}`}`,
  );
}
