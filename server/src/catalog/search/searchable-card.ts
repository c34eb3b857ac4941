import type { LocalizedNames } from '../card.ts';

/** The texts that a card is found by. JAN and id are looked up in the database instead. */
export interface SearchableCard {
  readonly id: string;
  readonly name: string;
  readonly localizedNames: LocalizedNames;
  readonly cardNumber: string | null;
  readonly setTotalRaw: string | null;
  readonly setCode: string | null;
  readonly setName: string | null;
  readonly setNameEn: string | null;
  readonly rarityCode: string | null;
  readonly rarityName: string | null;
}
