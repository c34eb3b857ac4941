import type { CardTables } from './card-tables.ts';

/** A found card. Within a tier, cards are sorted by score, matching text, then word starts. */
export interface Found {
  readonly card: number;
  readonly tier: number;
  readonly score: number;
  readonly text: string;
  readonly wordStarts: number;
}

/** Collects the results of one query in one index: best first, each card once, at most `limit`. */
export class HitCollector {
  readonly tables: CardTables;
  readonly limit: number;
  readonly #isHidden: ((id: string) => boolean) | undefined;
  readonly #found: Found[] = [];
  readonly #seen = new Set<number>();

  constructor(tables: CardTables, limit: number, isHidden?: (id: string) => boolean) {
    this.tables = tables;
    this.limit = limit;
    this.#isHidden = isHidden;
  }

  get found(): readonly Found[] {
    return this.#found;
  }

  isFull(): boolean {
    return this.#found.length >= this.limit;
  }

  accepts(card: number): boolean {
    if (this.#seen.has(card)) return false;
    return this.#isHidden?.(this.tables.ids.read(card)) !== true;
  }

  /** Adds a card found by a text without word starts, such as a number. Add the best first. */
  add(card: number, tier: number, text: string): void {
    this.#add({ card, tier, score: 0, text, wordStarts: 0 });
  }

  /** Adds a card found by a spelling, or ranked by its name. Add the best cards first. */
  addBySpelling(card: number, tier: number, spelling: number, score = 0): void {
    const { texts, wordStarts } = this.tables.spellings;
    const text = texts[spelling] ?? '';
    this.#add({ card, tier, score, text, wordStarts: wordStarts[spelling] ?? 0 });
  }

  #add(found: Found): void {
    if (this.isFull() || !this.accepts(found.card)) return;
    this.#seen.add(found.card);
    this.#found.push(found);
  }
}
