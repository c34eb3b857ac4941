import type { PrintedNumber } from './card-number.ts';
import type { Groups } from './groups.ts';
import type { TextTable } from './text-table.ts';

/** The kinds of name texts, as bits. A text can be of several kinds for the same card. */
export const NAME = {
  primary: 1,
  localized: 2,
  /** The loose key of a name, if it differs from the key. */
  loose: 4,
  sound: 8,
} as const;
/** The kinds of number texts, as bits. `runs` includes the number without its region. */
export const NUMBER = { joined: 1, runs: 2 } as const;
/** The kinds of label texts, as bits. Only names that are not Latin have keys. */
export const LABEL = { code: 1, word: 2, key: 4, looseKey: 8 } as const;

/** Cards are numbered by set code, then card number in natural order, then id. */
export interface CardTables {
  readonly ids: CardIds;
  readonly names: TextTable;
  /** The entries (`entryOf`) of each card's name texts. The printed name is first. */
  readonly namesOfCard: Groups;
  readonly numbers: TextTable;
  readonly printedNumbers: readonly PrintedNumber[];
  readonly numberOfCard: Uint32Array;
  readonly labels: TextTable;
  /** The set code of each label (see `codeOf`); null for a label that describes a card's look. */
  readonly setCodes: readonly (string | null)[];
  readonly setOfCard: Uint32Array;
  readonly lookOfCard: Uint32Array;
  readonly cardsOfLabel: Groups;
}

const NO_NUMBER: PrintedNumber = { joined: '', runs: '', regionless: '', total: '' };

export function numberOfCard(tables: CardTables, card: number): PrintedNumber {
  return tables.printedNumbers[tables.numberOfCard[card] ?? 0] ?? NO_NUMBER;
}

/** A UUID takes 16 bytes; as a string it would take 56. */
const ID_BYTES = 16;

export class CardIds {
  readonly #bytes: Buffer;

  constructor(ids: readonly string[]) {
    this.#bytes = Buffer.from(ids.join('').replaceAll('-', ''), 'hex');
    if (this.#bytes.length !== ids.length * ID_BYTES) throw new TypeError('an id is not a UUID');
  }

  get size(): number {
    return this.#bytes.length / ID_BYTES;
  }

  read(card: number): string {
    const hex = this.#bytes.toString('hex', card * ID_BYTES, (card + 1) * ID_BYTES);
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
}
