import type { CardTables } from './card-tables.ts';
import type { Budget } from './gram-index.ts';
import { SCORE } from './score.ts';
import { compareTexts } from './text-table.ts';

/** A found card. Of equal scores, that with the shorter matching text comes first. */
export interface Hit {
  readonly id: string;
  readonly score: number;
  readonly text: string;
}

export function compareHits(a: Omit<Hit, 'id'>, b: Omit<Hit, 'id'>): number {
  return b.score - a.score || compareTexts(a.text, b.text);
}

/** What the steps of one query in one layer share. */
export interface Search {
  readonly tables: CardTables;
  readonly found: HitCollector;
  readonly budget: Budget;
}

interface Found {
  readonly card: number;
  readonly score: number;
  readonly text: string;
}

/** Collects the best hits of one query in one index: each card once, with its best score. */
export class HitCollector {
  readonly #tables: CardTables;
  readonly limit: number;
  readonly #isHidden: (id: string) => boolean;
  readonly #found = new Map<number, Found>();
  /** The number of cards by score, without its fraction. */
  readonly #counts = new Uint16Array(SCORE.numberAsTyped + 1);
  /** The limit is reached by cards with this score or better. */
  #fullAt = -1;

  constructor(tables: CardTables, limit: number, isHidden: (id: string) => boolean) {
    this.#tables = tables;
    this.limit = limit;
    this.#isHidden = isHidden;
  }

  /** Returns whether there is room for another card with this score. */
  wants(score: number): boolean {
    return Math.floor(score) > this.#fullAt;
  }

  /** Adds a card. Of equal scores, add the best first. Returns whether to go on. */
  add(card: number, score: number, text: string): boolean {
    const known = this.#found.get(card);
    if (!this.wants(score)) return false;
    if (known !== undefined && known.score >= score) return true;
    if (known === undefined && this.#isHidden(this.#tables.ids.read(card))) return true;
    this.#found.set(card, { card, score, text });
    this.#count(score, 1);
    if (known !== undefined) this.#count(known.score, -1);
    if (this.#found.size >= this.limit) this.#findFull();
    return true;
  }

  /** Returns the hits, best first. */
  hits(): Hit[] {
    return [...this.#found.values()]
      .toSorted((a, b) => compareHits(a, b) || a.card - b.card)
      .slice(0, this.limit)
      .map(({ card, score, text }) => ({ id: this.#tables.ids.read(card), score, text }));
  }

  #count(score: number, change: number): void {
    const at = Math.floor(score);
    this.#counts[at] = (this.#counts[at] ?? 0) + change;
  }

  #findFull(): void {
    let count = 0;
    let score = this.#counts.length;
    while (count < this.limit && score > 0) count += this.#counts[--score] ?? 0;
    this.#fullAt = score;
  }
}
