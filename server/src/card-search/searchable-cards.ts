import type { LocalizedNames } from '../catalog/card.ts';
import type { SearchableCard } from './card-index.ts';
import type { CardsText } from './index-source.ts';
import { traitsOf } from './traits.ts';

type Row = readonly [
  id: string,
  name: string,
  localizedNames: LocalizedNames,
  cardNumber: string | null,
  setTotalRaw: string | null,
  setCode: string | null,
  setName: string | null,
  setNameEn: string | null,
  rarityCode: string | null,
  rarityName: string | null,
  languageCode: string,
  variant: string | null,
  finish: string | null,
  gameCode: string,
];

export function readSearchableCards(text: CardsText): SearchableCard[] {
  const rows = JSON.parse(`[${text}]`) as readonly Row[];
  return rows.map((row) => ({
    id: row[0],
    name: row[1],
    localizedNames: row[2],
    cardNumber: row[3],
    setTotalRaw: row[4],
    setCode: row[5],
    setName: row[6],
    setNameEn: row[7],
    rarityCode: row[8],
    rarityName: row[9],
    traits: traitsOf({
      languageCode: row[10],
      variant: row[11],
      finish: row[12],
      gameCode: row[13],
    }),
  }));
}
