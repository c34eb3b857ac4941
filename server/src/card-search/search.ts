import type { CardTables } from './card-tables.ts';
import type { Budget } from './gram-index.ts';
import { SCORE } from './score.ts';
import { compareTexts } from './text-table.ts';

/** A found card. With equal scores, the shorter matching text comes first. */
export interface Hit {
  readonly id: string;
  readonly card: number;
  readonly score: number;
  readonly text: string;
}

export function compareHits(a: Hit, b: Hit): number {
  return b.score - a.score || compareTexts(a.text, b.text);
}

/** Returns whether a newer layer contains the card. */
type IsHidden = (id: string) => boolean;

/** One query in one layer. Collects the best hits: each card once, with its best score. */
export class Search {
  readonly tables: CardTables;
  readonly limit: number;
  readonly budget: Budget;
  readonly #isHidden: IsHidden;
  readonly #found = new Map<number, Hit>();
  /** The number of found cards by score, rounded down. */
  readonly #counts = new Uint16Array(SCORE.numberAsTyped + 1);
  /** Enough cards with at least this score have been found. -1: not yet. */
  #fullAt = -1;

  constructor(tables: CardTables, limit: number, budget: Budget, isHidden: IsHidden) {
    this.tables = tables;
    this.limit = limit;
    this.budget = budget;
    this.#isHidden = isHidden;
  }

  wants(score: number): boolean {
    return Math.floor(score) > this.#fullAt;
  }

  /** Adds a card. Returns false if there are enough cards with this score. Add the best first. */
  add(card: number, score: number, text: string): boolean {
    const known = this.#found.get(card);
    if (!this.wants(score)) return false;
    if (known !== undefined && known.score >= score) return true;
    const id = known?.id ?? this.tables.ids.read(card);
    if (this.#isHidden(id)) return true;
    this.#found.set(card, { id, card, score, text });
    this.#count(score, 1);
    if (known !== undefined) this.#count(known.score, -1);
    return true;
  }

  #count(score: number, change: number): void {
    const at = Math.floor(score);
    this.#counts[at] = (this.#counts[at] ?? 0) + change;
    let [count, level] = [0, this.#counts.length];
    while (count < this.limit && level >= 0) count += this.#counts[--level] ?? 0;
    this.#fullAt = level;
  }

  hits(): Hit[] {
    const found = [...this.#found.values()];
    return found.toSorted((a, b) => compareHits(a, b) || a.card - b.card).slice(0, this.limit);
  }
}
