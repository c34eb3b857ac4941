import { isUuid } from '../../base/field.ts';
import { type BoostRow, readLiveCount } from '../../boosts/boost-row.ts';
import { BOOST_STATUSES, type BoostStatus } from '../../boosts/boost-status.ts';
import {
  type CatalogTarget,
  readCatalogTargets,
  type ResolveTarget,
} from '../../boosts/boost-target.ts';
import {
  type BoostOrder,
  type BoostCursor,
  type ResolvedBoostSearch,
  type BrowsedPage,
  browseLive,
  browsePast,
  pageOfLive,
  readLiveRows,
} from '../../boosts/browse-boosts.ts';
import { targetOf } from '../../boosts/render-boost.ts';
import { fold } from '../../card-search/fold.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Query } from '../query.ts';
import type { RequestContext } from '../request-context.ts';

/** The parsed query of the list. */
export interface ListQuery {
  /** Null selects every boost that has neither expired nor ended. */
  readonly status: BoostStatus | null;
  readonly order: BoostOrder;
  /** The text that boosts must match. An empty text matches every boost. */
  readonly text: string;
  readonly after: BoostCursor | null;
}

/** The maximum length of the text in code points, the same as for a catalog search. */
const TEXT_CHARACTERS_MAX = 150;

/** Parses the query of the list. Invalid values are ignored. */
export function parseListQuery(query: Readonly<Record<string, string>>): ListQuery {
  const { state, sort, q = '', after } = query;
  return {
    status: BOOST_STATUSES.find((each) => each === state) ?? null,
    order: sort === 'end' ? 'end' : 'price',
    text: Array.from(q.trim()).slice(0, TEXT_CHARACTERS_MAX).join(''),
    after: parsePosition(after),
  };
}

export function toQueryValues({ status, order, text }: ListQuery): Query {
  return { state: status, sort: order === 'price' ? null : order, q: text };
}

export function formatPosition({ value, id }: BoostCursor): string {
  return `${value}.${id}`;
}

function parsePosition(text: string | undefined): BoostCursor | null {
  const [, value = '', id] = /^(\d{1,15}|Infinity)\.([0-9a-f-]{36})$/.exec(text ?? '') ?? [];
  return isUuid(id) ? { value: Number(value), id } : null;
}

export interface ListedBoost {
  readonly row: BoostRow;
  readonly target: CatalogTarget;
}

export interface BoostListPage {
  readonly boosts: readonly ListedBoost[];
  readonly next: BoostCursor | null;
  /** True when the page reached its scan limit, so that more boosts may match. */
  readonly isShort: boolean;
  /** The number of the shop's boosts that have neither expired nor ended. */
  readonly live: number;
}

const PAGE_BOOSTS = 50;

/** A text filters the live boosts in memory, because a shop has few of them. */
export async function readListPage(
  context: RequestContext,
  deps: ConsoleDeps,
  query: ListQuery,
): Promise<BoostListPage> {
  const { shop, now } = context;
  const matches = query.text === '' ? null : await findTextMatches(context, deps, query.text);
  const page = { after: query.after, limit: PAGE_BOOSTS };
  const { status } = query;
  let browsed: BrowsedPage;
  if (status === 'expired' || status === 'ended') {
    browsed = await browsePast(deps.db, shop.id, { status, text: matches }, page, now);
  } else if (matches === null) {
    browsed = await browseLive(deps.db, shop.id, query, page, now);
  } else {
    const rows = await readLiveRows(deps.db, shop.id, now);
    browsed = pageOfLive(await filterByText(context, deps, rows, matches), query, page, now);
  }
  const live = await readLiveCount(deps.db, shop.id, now);
  const resolve = await readCatalogTargets(deps.db, shop.id, browsed.rows);
  const boosts = browsed.rows.map((row) => ({ row, target: targetOf(row, resolve) }));
  return { boosts, next: browsed.next, isShort: browsed.isShort, live };
}

/**
 * Finds the cards and products that a text matches, with the searches of the pickers. An
 * unavailable search counts as a search without hits.
 */
async function findTextMatches(
  context: RequestContext,
  { catalogLookup }: ConsoleDeps,
  text: string,
): Promise<ResolvedBoostSearch> {
  const idsOf = async (kind: 'card' | 'product'): Promise<readonly string[]> => {
    const search = await catalogLookup.search(kind, context, text);
    return search.kind === 'found' ? search.options.map(({ id }) => id) : [];
  };
  const [cardIds, productIds] = await Promise.all([idsOf('card'), idsOf('product')]);
  return { cardIds, productIds, note: text };
}

/**
 * Returns the live boosts whose card or product the search found, or whose name, number, set or
 * note contains every word.
 */
async function filterByText(
  { shop }: RequestContext,
  { db }: ConsoleDeps,
  live: readonly BoostRow[],
  { cardIds, productIds, note }: ResolvedBoostSearch,
): Promise<readonly BoostRow[]> {
  const ids = new Set([...cardIds, ...productIds]);
  const words = fold(note).split(/\s+/u).filter(Boolean);
  const resolve = await readCatalogTargets(db, shop.id, live);
  return live.filter((row) => {
    if (ids.has(row.cardId ?? row.productId ?? '')) return true;
    const text = `${fold(row.note ?? '')} ${textOf(row, resolve)}`;
    return words.every((word) => text.includes(word));
  });
}

function textOf(row: BoostRow, resolve: ResolveTarget<CatalogTarget>): string {
  const target = targetOf(row, resolve);
  if (target.kind === 'product') return fold(target.product.name);
  const { name, localizedNames, cardNumber, set, rarity } = target.card;
  const names = [name, ...Object.values(localizedNames)];
  const texts = [...names, cardNumber, set?.code, set?.name, rarity?.code];
  return texts.map((each) => fold(each ?? '')).join(' ');
}
