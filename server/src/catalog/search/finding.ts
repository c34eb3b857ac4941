import type { CardTables } from './card-tables.ts';

/** A card that was found: by which tier, and by which text with which word starts. Ties are ordered by these. */
export interface Found {
  readonly card: number;
  readonly tier: number;
  readonly text: string;
  readonly wordStarts: number;
}

/** Gathers what one query finds in one index: best first, each card once, never more than `limit`. */
export class Finding {
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

  /** What was found so far, best first. */
  get found(): readonly Found[] {
    return this.#found;
  }

  /** True when nothing more is wanted. */
  isFull(): boolean {
    return this.#found.length >= this.limit;
  }

  /** True when a card was not found before and may be shown. */
  accepts(card: number): boolean {
    if (this.#seen.has(card)) return false;
    return this.#isHidden?.(this.tables.ids.read(card)) !== true;
  }

  /** Adds a card that was found by a number, a set or the like. Cards come best first. */
  add(card: number, tier: number, text: string): void {
    this.#add({ card, tier, text, wordStarts: 0 });
  }

  /** Adds a card that was found by one of its texts, or that is ordered by its own name. Cards come best first. */
  addBySpelling(card: number, tier: number, spelling: number): void {
    const { texts, wordStarts } = this.tables.spellings;
    this.#add({ card, tier, text: texts[spelling] ?? '', wordStarts: wordStarts[spelling] ?? 0 });
  }

  #add(found: Found): void {
    if (this.isFull() || !this.accepts(found.card)) return;
    this.#seen.add(found.card);
    this.#found.push(found);
  }
}
