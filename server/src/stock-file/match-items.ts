import { hash } from 'node:crypto';
import type { Card } from '../catalog/card.ts';
import { findCardsByExternalId, ID_SOURCES } from '../catalog/external-id.ts';
import { fold } from '../card-search/fold.ts';
import { parseIdentifier } from '../catalog/identifier.ts';
import {
  type EntryMatch,
  findByJan,
  findByName,
  findBySetAndNumber,
} from '../catalog/match-entries.ts';
import type { BoostProduct } from '../catalog/product.ts';
import { readActiveCards, readProducts } from '../catalog/read-entries.ts';
import type { Queryable } from '../database/database.ts';
import type { ItemQuery } from './row-draft.ts';
import { finishGroupOf, looseKey } from './values.ts';

/** The ways to find an item, most reliable first. */
export const MATCH_METHODS = ['id', 'external_id', 'set_number', 'jan', 'name', 'choice'] as const;
export type MatchMethod = (typeof MATCH_METHODS)[number];

export type Item =
  | { readonly kind: 'card'; readonly id: string; readonly card: Card }
  | { readonly kind: 'product'; readonly id: string; readonly product: BoostProduct };

export type ItemMatch =
  | { readonly kind: 'item'; readonly by: MatchMethod; readonly item: Item }
  | { readonly kind: 'ambiguous'; readonly question: string; readonly items: readonly Item[] }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'unknown' };

/** A person's answers, by the key of the question: `card:ID`, `product:ID`, or `skip`. */
export type ItemChoices = Readonly<Record<string, string>>;

/** The maximum number of items that a question offers. */
export const CANDIDATES_MAX = 20;
const CARDS_OF_BATCH_MAX = 20_000;

type Found = Readonly<Record<'id' | 'external_id' | 'set_number' | 'jan' | 'name', Keys>>;
/** The keys of the items found (`card ID`), by the index of the query. */
type Keys = ReadonlyMap<number, readonly string[]>;

/**
 * Tries our id, external ids, set and number, JAN and name in this order, and uses the first that
 * finds an item. Several items are narrowed by language, set, number, name, variant and finish.
 */
export async function matchItems(
  db: Queryable,
  queries: readonly ItemQuery[],
  choices: ItemChoices,
): Promise<readonly ItemMatch[]> {
  const found = await findAll(db, queries);
  const chosen = queries.map((query) => choices[itemQuestionKey(query)]);
  const keys = new Set(Object.values(found).flatMap((each) => [...each.values()].flat()));
  for (const choice of chosen) if (choice?.includes(':')) keys.add(choice.replace(':', ' '));
  const items = await readItems(db, [...keys]);
  return queries.map((query, index): ItemMatch => {
    const choice = chosen[index];
    if (choice === 'skip') return { kind: 'skipped' };
    const picked = items.get(choice?.replace(':', ' ') ?? '');
    if (picked !== undefined) return { kind: 'item', by: 'choice', item: picked };
    for (const by of ['id', 'external_id', 'set_number', 'jan', 'name'] as const) {
      const all = (found[by].get(index) ?? []).flatMap((key) => items.get(key) ?? []);
      if (all.length === 0) continue;
      const left = by === 'id' ? all : narrow(all, query);
      const [first] = left;
      if (first !== undefined && left.length === 1) return { kind: 'item', by, item: first };
      const candidates = (left.length === 0 ? all : left).slice(0, CANDIDATES_MAX);
      return { kind: 'ambiguous', question: itemQuestionKey(query), items: candidates };
    }
    return { kind: 'unknown' };
  });
}

/** Returns the key of the question about the item of a row. Equal rows share one question. */
export function itemQuestionKey(query: ItemQuery): string {
  return hash('sha256', JSON.stringify(query), 'hex').slice(0, 24);
}

async function findAll(db: Queryable, queries: readonly ItemQuery[]): Promise<Found> {
  const ids = new Map<number, readonly string[]>();
  for (const [index, { itemId }] of queries.entries()) {
    if (itemId !== null) ids.set(index, [`card ${itemId}`, `product ${itemId}`]);
  }
  const numbered = indexesOf(queries, ({ set, number }) => set !== '' && number !== '');
  const named = indexesOf(queries, ({ name }) => name !== '');
  const coded = queries.flatMap(({ jan }, index) => {
    const code = parseIdentifier(jan);
    return code?.kind === 'jan' ? code.codes.map((each) => [index, each] as const) : [];
  });
  return {
    id: ids,
    external_id: await findExternal(db, queries),
    set_number: grouped(
      await findBySetAndNumber(
        db,
        numbered.map((index) => queries[index] ?? { set: '', number: '' }),
      ),
      numbered,
    ),
    jan: grouped(
      await findByJan(
        db,
        coded.map(([, code]) => code),
      ),
      coded.map(([index]) => index),
    ),
    name: grouped(
      await findByName(
        db,
        named.map((index) => queries[index]?.name ?? ''),
      ),
      named,
    ),
  };
}

async function findExternal(db: Queryable, queries: readonly ItemQuery[]): Promise<Keys> {
  const cards = new Map<string, string[]>();
  for (const source of ID_SOURCES) {
    const ids = queries.flatMap(({ externalIds }) =>
      externalIds.filter((each) => each.source === source).map(({ id }) => id),
    );
    if (ids.length === 0) continue;
    for (const row of await findCardsByExternalId(db, source, ids, CARDS_OF_BATCH_MAX)) {
      const key = `${source} ${row.id}`;
      cards.set(key, [...(cards.get(key) ?? []), `card ${row.cardId}`]);
    }
  }
  return new Map(
    queries.flatMap(({ externalIds }, index) => {
      const [first] = externalIds.flatMap(({ source, id }) => {
        const keys = cards.get(`${source} ${id}`);
        return keys === undefined ? [] : [keys];
      });
      return first === undefined ? [] : [[index, first] as const];
    }),
  );
}

function indexesOf(
  queries: readonly ItemQuery[],
  has: (query: ItemQuery) => boolean,
): readonly number[] {
  return queries.flatMap((query, index) => (has(query) ? [index] : []));
}

function grouped(matches: readonly EntryMatch[], indexes: readonly number[]): Keys {
  const keys = new Map<number, string[]>();
  for (const { n, kind, id } of matches) {
    const index = indexes[n];
    if (index === undefined) throw new Error(`no query ${n}`);
    const known = keys.get(index) ?? [];
    if (!known.includes(`${kind} ${id}`)) keys.set(index, [...known, `${kind} ${id}`]);
  }
  return keys;
}

async function readItems(
  db: Queryable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  const idsOf = (kind: string): readonly string[] =>
    keys.filter((key) => key.startsWith(kind)).map((key) => key.slice(kind.length));
  const cards = await readActiveCards(db, idsOf('card '));
  const products = await readProducts(db, idsOf('product '));
  return new Map<string, Item>([
    ...cards.map((card) => [`card ${card.id}`, { kind: 'card', id: card.id, card }] as const),
    ...[...products.values()].map(
      (product) => [`product ${product.id}`, { kind: 'product', id: product.id, product }] as const,
    ),
  ]);
}

/** Keeps the items that match the row's other cells. Cells that match no item are ignored. */
function narrow(items: readonly Item[], query: ItemQuery): readonly Item[] {
  const finish = finishGroupOf(query.finish);
  const steps: readonly (readonly [boolean, (item: Item) => boolean])[] = [
    [query.language !== null, (item) => hasLanguage(item, query.language ?? '')],
    [query.set !== '', (item) => item.kind === 'card' && isOfSet(item.card, query.set)],
    [query.number !== '', (item) => item.kind === 'card' && hasNumber(item.card, query.number)],
    [query.name !== '', (item) => namesOf(item).includes(fold(query.name))],
    [query.variant !== '', (item) => variantOf(item) === looseKey(query.variant)],
    [query.finish !== '', (item) => finishOf(item) === finish],
  ];
  let left = items;
  for (const [applies, fits] of steps) {
    if (!applies || left.length <= 1) continue;
    const fitting = left.filter((item) => fits(item));
    if (fitting.length > 0) left = fitting;
  }
  // If the row names no variant or finish, it means the plain version of the card.
  if (left.length > 1 && areOneCard(left)) {
    const plain = left.filter((item) => variantOf(item) === '' || query.variant !== '');
    const plainest = plain.filter((item) => finishOf(item) === finish);
    if (plainest.length === 1) left = plainest;
  }
  const [only] = left;
  if (left.length !== 1 || only === undefined) return left;
  // Do not accept a card of another language or finish, even if it is the only one found.
  const isOther =
    (query.language !== null && !hasLanguage(only, query.language)) ||
    (query.finish !== '' && hasFinish(only) && finishOf(only) !== finish);
  return isOther ? [] : left;
}

function areOneCard(items: readonly Item[]): boolean {
  const printings = items.map((item) =>
    item.kind === 'card'
      ? [item.card.set?.id, numberKey(item.card.cardNumber ?? ''), item.card.languageCode].join(' ')
      : item.id,
  );
  return new Set(printings).size === 1;
}

function hasFinish(item: Item): boolean {
  return item.kind === 'card' && item.card.finish !== null;
}

function hasLanguage(item: Item, language: string): boolean {
  const { languageCode } = item.kind === 'card' ? item.card : item.product;
  return languageCode.toLowerCase() === language.toLowerCase();
}

function isOfSet({ set }: Card, text: string): boolean {
  if (set === null) return false;
  const names = [set.code, set.name, set.nameEn ?? ''];
  return names.some((name) => looseKey(name) === looseKey(text));
}

function hasNumber({ cardNumber }: Card, text: string): boolean {
  return numberKey(cardNumber ?? '') === numberKey(text);
}

function numberKey(text: string): string {
  return fold(text)
    .replace(/\/[a-z]{0,3}\d+$/, '')
    .replace(/^0+/, '');
}

function namesOf(item: Item): readonly string[] {
  if (item.kind === 'product') return [fold(item.product.name)];
  return [item.card.name, ...Object.values(item.card.localizedNames)].map((name) => fold(name));
}

function variantOf(item: Item): string {
  return item.kind === 'card' ? looseKey(item.card.variant ?? '') : '';
}

function finishOf(item: Item): string {
  return finishGroupOf(item.kind === 'card' ? item.card.finish : null);
}
