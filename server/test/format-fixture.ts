import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Card } from '../src/catalog/card.ts';
import type { FormatName, ElementResult } from '../src/catalog/formats/format.ts';
import { createElementReader } from '../src/catalog/formats/element-reader.ts';
import { type KnownSet, readSet, addKnownSet } from '../src/catalog/formats/sets.ts';

/** The name of a file with made-up cards in a public format. */
export type FixtureName =
  | 'scryfall'
  | 'scryfall-sets'
  | 'pokemon-tcg-data'
  | 'pokemon-tcg-data-sets'
  | 'pokemon-tcg-data-api'
  | 'tcgdex'
  | 'ygoprodeck';

export function fixturePath(name: FixtureName): string {
  return new URL(`../src/catalog/formats/fixtures/${name}.json`, import.meta.url).pathname;
}

export function fixtureElements(name: FixtureName): Record<string, unknown>[] {
  const whole = JSON.parse(readFileSync(fixturePath(name), 'utf8')) as
    | Record<string, unknown>[]
    | { data: Record<string, unknown>[] };
  return Array.isArray(whole) ? whole : whole.data;
}

/** Converts these elements as an import in this format does. */
export function convertElements(
  format: Exclude<FormatName, 'cardport'>,
  elements: readonly unknown[],
  options: { readonly languages?: readonly string[]; readonly sets?: FixtureName } = {},
): ElementResult[] {
  const sets = new Map<string, KnownSet>();
  for (const element of options.sets === undefined ? [] : fixtureElements(options.sets)) {
    const set = readSet(element);
    assert.ok(set !== null && addKnownSet(sets, set));
  }
  const opened = createElementReader(format, { languages: options.languages ?? [], sets });
  assert.ok(opened.kind === 'open');
  return elements.map((element) => opened.read(element));
}

export function cardsOf(reading: ElementResult | undefined): Card[] {
  assert.ok(reading?.kind === 'entries', JSON.stringify(reading));
  return reading.entries.map((entry) => {
    assert.ok(entry.kind === 'card' && entry.isActive === null);
    return entry.card;
  });
}

/** Returns the cards without their ids, which other tests check. */
export function withoutIds(cards: readonly Card[]): Omit<Card, 'id'>[] {
  return cards.map((card) => Object.fromEntries(Object.entries(card).slice(1)) as Omit<Card, 'id'>);
}
