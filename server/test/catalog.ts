import assert from 'node:assert/strict';
import type { ImportResult } from '../src/import/import-report.ts';
import { systemClock } from '../src/base/clock.ts';
import type { NdjsonLine } from '../src/import/ndjson.ts';
import { newId } from '../src/base/secrets.ts';
import type { Card } from '../src/catalog/card.ts';
import { importCatalog } from '../src/catalog/import-catalog.ts';
import type { Database } from '../src/database/database.ts';
import type { TestResponse } from './partner.ts';

export interface CatalogCard extends Card {
  readonly isActive?: boolean;
}

export const TEST_GAME = {
  id: '5f0e8a10-63c5-4d0f-9a5e-0f6c0f1f7a01',
  code: 'skyfall',
  name: '空のかけら',
};

/** Returns a card with a new id. Fields that `more` does not contain are null. */
export function newCard(name: string, more: Partial<Omit<CatalogCard, 'name'>> = {}): CatalogCard {
  return {
    id: newId(),
    name,
    localizedNames: {},
    cardNumber: null,
    setTotalRaw: null,
    janCode: null,
    languageCode: 'ja',
    variant: null,
    finish: null,
    imageUrl: null,
    rarity: null,
    set: null,
    game: TEST_GAME,
    ...more,
  };
}

/** Imports cards as a catalog file would be imported. Throws if a line is rejected. */
export async function importCards(
  db: Database,
  cards: readonly CatalogCard[],
): Promise<ImportResult> {
  async function* lines(): AsyncGenerator<NdjsonLine> {
    for (const [at, value] of cards.entries()) yield { kind: 'value', number: at + 1, value };
  }
  const result = await importCatalog(db, lines(), { clock: systemClock });
  if (result.accepted !== cards.length) throw new Error(JSON.stringify(result.rejected));
  return result;
}

/** Returns the cards in a response of GET /cards, which must be 200. */
export function cardsOf(answer: TestResponse): readonly Card[] {
  assert.equal(answer.status, 200, answer.text);
  const body: { readonly cards: readonly Card[] } = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(body), ['cards']);
  return body.cards;
}
