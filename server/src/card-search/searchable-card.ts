import type { LocalizedNames } from '../catalog/card.ts';

/** The searched fields of a card. JAN and id are missing because the database looks them up. */
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
  /** Words for its game, language, variant and finish. */
  readonly traits: readonly string[];
}
