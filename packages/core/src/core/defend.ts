import { BezoarError, type ErrorCode } from '../errors.ts';
import type { Certificate, Defended, Defense, Retrieval, RetrievedPassage, StageResult, StageTrace, Verdict } from '../types.ts';
import { checkRetrieval } from './define-defense.ts';
import type { Policy } from './define-policy.ts';
import { printable } from './printable.ts';
import { explainReason } from './reasons.ts';
import { createRunContext, type RunContext, type RunSettings, throwIfAborted } from './run-context.ts';

/** Models and clock for a run; what a policy settles itself is not asked again. */
export type DefendSettings = Pick<
  RunSettings,
  'now' | 'signal' | 'encoder' | 'crossEncoder' | 'likelihood' | 'bm25Corpus' | 'resolveEncoder'
>;

/** Faults of the caller, not of a stage: no failure mode hides them. */
const CALLER_FAULTS: ReadonlySet<ErrorCode> = new Set([
  'ABORTED',
  'BAD_INPUT',
  'DUPLICATE_ID',
  'INVALID_OPTION',
  'MISSING_PEER',
  'NEEDS_CROSS_ENCODER',
  'NEEDS_EMBEDDINGS',
  'NEEDS_LIKELIHOOD',
  'NOT_FOUND',
  'SHAPE_MISMATCH',
  'TOO_LARGE',
  'UNKNOWN_NAME',
]);

/**
 * Runs a policy over one retrieval: its stages in order, each on what the one before let go on. An empty retrieval gives an empty result;
 * a policy without stages lets everything through. Nothing given is changed.
 *
 * A passage's final verdict is that of the stage that dropped it, else of the last stage that rewrote it, else of the last stage; its
 * suspicion is the highest that any stage gave. When a stage fails or the budget is used up the policy's `onError` decides, `degraded` is
 * true and the stage's trace says what happened.
 *
 * @throws {BezoarError} for what no policy can mend: `BAD_INPUT`, `DUPLICATE_ID`, `SHAPE_MISMATCH`, `TOO_LARGE`, `NEEDS_EMBEDDINGS` and other
 *   missing models, `ABORTED` when the signal fires, even while a stage hangs.
 *
 * @example
 * const policy = definePolicy({ stages: [deduplicate(), grada({ weights: 'bm25' })], keep: 3 });
 * const { passages, verdicts } = await defend(createRetrieval('who?', texts), policy);
 */
export async function defend(retrieval: Retrieval, policy: Policy, settings: DefendSettings = {}): Promise<Defended> {
  const context = createRunContext({
    ...settings,
    seed: policy.seed,
    keep: policy.keep,
    passageText: policy.passageText,
    unscorable: policy.unscorable,
  });
  throwIfAborted(context);
  checkRetrieval(retrieval);
  let deadline = policy.budgetMs === null ? null : context.now() + policy.budgetMs;
  const stages: StageTrace[] = [];
  let passages = retrieval.passages;
  let certificate: Certificate | null = null;
  let failed = false;
  for (const stage of policy.stages) {
    const result = await attempt(stage, { query: retrieval.query, passages }, context, deadline);
    if (!('error' in result)) {
      stages.push({ name: stage.name, ms: result.ms, verdicts: result.verdicts });
      // A certificate speaks of the very passages its stage let go on.
      const untouched = result.passages.length === passages.length && result.verdicts.every(({ action }) => action === 'keep');
      certificate = result.certificate ?? (untouched ? certificate : null);
      passages = result.passages;
      continue;
    }
    failed = true;
    // Timers may fire a little before the clock says so; what is used up stays used up.
    if (result.error.code === 'BUDGET_EXCEEDED') deadline = -Infinity;
    // What a certificate spoke of no longer reaches the model as certified.
    certificate = null;
    const instead = policy.onError === 'degrade' ? skipped(stage, passages, stage.keep ?? policy.keep) : [];
    stages.push({ name: stage.name, ms: result.ms, verdicts: instead, error: result.error });
    if (policy.onError === 'pass') passages = retrieval.passages;
    if (policy.onError === 'refuse') passages = [];
    if (policy.onError !== 'degrade') break;
    passages = kept(passages, instead);
  }
  const outcome = failed && policy.onError !== 'degrade' ? policy.onError : 'ran';
  return {
    query: retrieval.query,
    passages: policy.mode === 'monitor' ? retrieval.passages : passages,
    verdicts: finalVerdicts(retrieval.passages, passages, stages, outcome),
    stages,
    certificate,
    degraded: failed,
  };
}

type Attempt = StageResult | { readonly error: { readonly code: string; readonly message: string }; readonly ms: number };

async function attempt(stage: Defense, retrieval: Retrieval, context: RunContext, deadline: number | null): Promise<Attempt> {
  const started = context.now();
  const over = (): Attempt => ({
    ms: context.now() - started,
    error: { code: 'BUDGET_EXCEEDED', message: `${stage.name} did not finish within the policy's budgetMs` },
  });
  if (deadline !== null && started >= deadline) return over();
  const aborter = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => undefined;
  const stopped = new Promise<null>((resolve) => {
    stop = () => {
      aborter.abort(context.signal?.reason);
      resolve(null);
    };
    context.signal?.addEventListener('abort', stop, { once: true });
    if (deadline !== null) timer = setTimeout(stop, Math.min(deadline - started, 0x7fffffff));
  });
  try {
    const running = stage.run(retrieval, { ...context, signal: aborter.signal });
    // An abandoned stage is told to stop; what it still says is nobody's concern.
    running.catch(() => undefined);
    const result = await Promise.race([running, stopped]);
    throwIfAborted(context);
    return result !== null && (deadline === null || context.now() <= deadline) ? result : over();
  } catch (error) {
    throwIfAborted(context);
    if (BezoarError.is(error) && CALLER_FAULTS.has(error.code)) throw error;
    return { ms: context.now() - started, error: { code: BezoarError.is(error) ? error.code : 'STAGE_FAILED', message: oneLine(error) } };
  } finally {
    clearTimeout(timer);
    context.signal?.removeEventListener('abort', stop);
  }
}

/** The message of whatever was thrown, bounded and on one line: a failing stage may quote what an attacker wrote. */
function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : 'something other than an error was thrown';
  return printable(message, 300);
}

/** A stage that could not run does what `none` does: passages as they stand, a reranker's place still cut to `keep`. */
function skipped(stage: Defense, passages: readonly RetrievedPassage[], keep: number): Verdict[] {
  const places = stage.kind === 'rerank' ? keep : passages.length;
  return passages.map((passage, index) => ({
    passageId: passage.id,
    action: index < places ? 'keep' : 'drop',
    rankBefore: index + 1,
    rankAfter: index < places ? index + 1 : null,
    score: null,
    suspicion: 0,
    reason: index < places ? 'kept' : 'beyond-keep',
  }));
}

function kept(passages: readonly RetrievedPassage[], verdicts: readonly Verdict[]): readonly RetrievedPassage[] {
  return passages.filter((_, index) => verdicts[index]!.action !== 'drop');
}

function finalVerdicts(
  retrieved: readonly RetrievedPassage[],
  goOn: readonly RetrievedPassage[],
  stages: readonly StageTrace[],
  outcome: 'ran' | 'pass' | 'refuse',
): Verdict[] {
  const byId = new Map<string, Verdict[]>(retrieved.map((passage) => [passage.id, []]));
  for (const stage of stages) for (const verdict of stage.verdicts) byId.get(verdict.passageId)!.push(verdict);
  const rankAfter = new Map(goOn.map((passage, index) => [passage.id, index + 1]));
  return retrieved.map((passage, index): Verdict => {
    const given = byId.get(passage.id)!;
    const ranks = { passageId: passage.id, rankBefore: index + 1, rankAfter: rankAfter.get(passage.id) ?? null };
    const suspicion = given.reduce((worst, verdict) => Math.max(worst, verdict.suspicion), 0);
    const score = given.reduce<number | null>((latest, verdict) => verdict.score ?? latest, null);
    const deciding =
      given.find((verdict) => verdict.action === 'drop') ?? given.findLast((verdict) => verdict.action === 'rewrite') ?? given.at(-1);
    if (outcome === 'refuse') return { ...ranks, action: 'drop', score, suspicion, reason: 'refused' };
    if (outcome === 'pass' || !deciding) return { ...ranks, action: 'keep', score, suspicion, reason: 'kept' };
    const { action, reason, evidence } = deciding;
    return { ...ranks, action, score: deciding.score ?? score, suspicion, reason, ...(evidence ? { evidence } : {}) };
  });
}

/** One sentence for people that says why a passage was kept or dropped, from the verdict's reason and evidence. Without a full stop. */
export function explain(verdict: Verdict, policy: Policy): string {
  return explainReason(
    verdict.reason,
    verdict.evidence,
    policy.stages.map((stage) => stage.reasons),
  );
}
