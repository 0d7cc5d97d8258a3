import { roundScore } from '@bezoar/core/kernels/round-score';
import type { RankedList } from './ranked-list.ts';

/** More than rounding moves a score, relative to it: what is this far below the last of a full list cannot enter it. */
const MARGIN = 1e-11;

/**
 * The best passages of a stream, one a text where that is asked for: of passages with one text the best stays, of equal ones the first.
 * Equal scores are in the order in which they were offered. Holds `size` passages and no text.
 */
export class BestPassages {
  readonly #size: number;
  readonly #keys: number[] = [];
  readonly #places: number[] = [];
  readonly #scores: number[] = [];
  readonly #texts: string[] = [];
  #floor = Number.NEGATIVE_INFINITY;

  constructor(size: number) {
    this.#size = size;
  }

  /** @param textOf - Asked only for a passage that may enter; places for which it says the same are copies. null where copies count. */
  offer(place: number, score: number, textOf: ((place: number) => string) | null): void {
    // NaN is not retrieved.
    if (!(score >= this.#floor) || this.#size === 0) return;
    const key = roundScore(score);
    const full = this.#keys.length === this.#size;
    if (full && key <= this.#keys[this.#size - 1]!) return;
    const text = textOf === null ? '' : textOf(place);
    const known = textOf === null ? -1 : this.#texts.indexOf(text);
    if (known >= 0 && key <= this.#keys[known]!) return;
    if (known >= 0) this.#remove(known);
    else if (full) this.#remove(this.#size - 1);
    let at = this.#keys.length;
    while (at > 0 && this.#keys[at - 1]! < key) at--;
    this.#keys.splice(at, 0, key);
    this.#places.splice(at, 0, place);
    this.#scores.splice(at, 0, score);
    this.#texts.splice(at, 0, text);
    const last = this.#keys[this.#size - 1];
    if (last !== undefined) this.#floor = last - Math.abs(last) * MARGIN;
  }

  list(): RankedList {
    return { places: [...this.#places], scores: [...this.#scores] };
  }

  #remove(at: number): void {
    for (const column of [this.#keys, this.#places, this.#scores, this.#texts]) column.splice(at, 1);
  }
}
