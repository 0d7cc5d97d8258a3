import { BezoarError } from '../errors.ts';
import { binomial } from './combinations.ts';

export interface RagpartTheory {
  /** C(N, k), the databases. */
  readonly total: number;
  /** Of them, those that hold a poisoned fragment of one document: what the naive combination counts as poisoned. */
  readonly xNaive: number;
  /** Of them, those that hold two or more: what RAGPart counts as poisoned. */
  readonly xPart: number;
  readonly robustNaive: boolean;
  readonly robustPart: boolean;
  /** The most adversarial documents for which the condition holds; 0 where it does not hold for one, null where it holds for any number. */
  readonly mostNaive: number | null;
  readonly mostPart: number | null;
}

/**
 * The robustness condition of RAGPart's paper for `adversarial` documents with `poisoned` poisoned fragments each: poisoned databases of one
 * document < total / (adversarial + 1).
 *
 * It describes the paper's model and certifies nothing. The model takes a mean with one poisoned fragment for clean, whatever k: with k = 1 it
 * counts no database as poisoned, although one poisoned fragment is then the whole database; and where the condition fails the paper's own
 * experiments show little success. Never show it as a guarantee for an index.
 *
 * Source: Pathmanathan et al. 2025, RAGPart & RAGMask, sections 6 and 6.1, tables 2 to 5, https://arxiv.org/abs/2512.24268.
 * Deviations: section 6.1 states a condition on all documents' databases together before the one for each document; the latter is here, as in its formulas.
 *
 * @param options.fragments - N, 1 to 50.
 * @param options.combine - k, 1 to N.
 * @param options.poisoned - n_p, 0 to N.
 * @param options.adversarial - n_a, at least 1. Default 1.
 * @throws {BezoarError} `INVALID_OPTION` for a number out of range.
 */
export function ragpartTheory(options: {
  readonly fragments: number;
  readonly combine: number;
  readonly poisoned: number;
  readonly adversarial?: number;
}): RagpartTheory {
  const { fragments, combine, poisoned, adversarial = 1 } = options;
  // C(50, 25) times a few is still exact.
  check('fragments', fragments, 1, 50);
  check('combine', combine, 1, fragments);
  check('poisoned', poisoned, 0, fragments);
  check('adversarial', adversarial, 1, 1000);
  const total = binomial(fragments, combine);
  const xNaive = total - binomial(fragments - poisoned, combine);
  const xPart = xNaive - poisoned * binomial(fragments - poisoned, combine - 1);
  const most = (x: number): number | null => (x === 0 ? null : Math.max(0, Math.ceil(total / x) - 2));
  return {
    total,
    xNaive,
    xPart,
    robustNaive: xNaive * (adversarial + 1) < total,
    robustPart: xPart * (adversarial + 1) < total,
    mostNaive: most(xNaive),
    mostPart: most(xPart),
  };
}

/** Floating-point operations of the index: making it and asking it, for the naive combination, the paper's RAGPart, and what is built here. */
export interface RagpartCost {
  readonly ingestNaive: number;
  /** N fragments a passage, and the paper's sums of all combinations. */
  readonly ingestPart: number;
  /** N fragments a passage: combinations are never made. */
  readonly ingestHere: number;
  /** One question against C(N, k) databases, as the paper has it, for both. */
  readonly query: number;
  /** One question against N fragments, and the sums of their scores: k for each combination. */
  readonly queryHere: number;
}

/**
 * What index and question cost.
 *
 * Source: Pathmanathan et al. 2025, section 6.2 (making) and section 5 (asking); what is built here makes no database.
 *
 * @param options.passages - D.
 * @param options.dimensions - n_e, numbers a vector.
 * @param options.encoderFlops - R, operations to encode one fragment, 1/N of a passage.
 */
export function ragpartCost(options: {
  readonly fragments: number;
  readonly combine: number;
  readonly passages: number;
  readonly dimensions: number;
  readonly encoderFlops: number;
}): RagpartCost {
  const { fragments, combine, passages, dimensions, encoderFlops } = options;
  const total = binomial(fragments, combine);
  const ingestHere = passages * fragments * encoderFlops;
  return {
    ingestNaive: passages * total * combine * encoderFlops,
    ingestPart: ingestHere + passages * total * combine * dimensions,
    ingestHere,
    query: 2 * dimensions * passages * total,
    queryHere: 2 * dimensions * passages * fragments + passages * total * combine,
  };
}

function check(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new BezoarError('INVALID_OPTION', `${name} is ${value}, expected a whole number from ${min} to ${max}`, {
    details: { field: name },
  });
}
