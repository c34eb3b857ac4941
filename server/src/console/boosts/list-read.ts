import { type BoostRow, readLiveCount } from '../../boosts/boost-row.ts';
import { type BoostTarget, readTargets, type ResolveTarget } from '../../boosts/boost-target.ts';
import {
  type BoostPlace,
  type BoostText,
  type BrowsedBoosts,
  browsePast,
  pageOfLive,
  readLiveRows,
} from '../../boosts/browse-boosts.ts';
import { targetOf } from '../../boosts/show-boost.ts';
import { fold } from '../../catalog/search/fold.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Visit } from '../visit.ts';
import type { ListQuery } from './list-query.ts';

/** A boost of the list with what it is for. */
export interface ListedBoost {
  readonly row: BoostRow;
  readonly target: BoostTarget;
}

/** A page of the list. */
export interface BoostListPage {
  readonly boosts: readonly ListedBoost[];
  readonly next: BoostPlace | null;
  /** Boosts of the shop that are neither expired nor ended. */
  readonly live: number;
}

/** Boosts of one page. */
const PAGE_BOOSTS = 50;

/** Reads a page of a shop's boosts. The live ones are few, so they are judged in memory; of the others a page is read. */
export async function readListPage(
  visit: Visit,
  deps: ConsoleDeps,
  query: ListQuery,
): Promise<BoostListPage> {
  const { shop, now } = visit;
  const meant = query.text === '' ? null : await meaningOf(visit, deps, query.text);
  const page = { after: query.after, limit: PAGE_BOOSTS };
  const { status } = query;
  let browsed: BrowsedBoosts;
  let live: number;
  if (status === 'expired' || status === 'ended') {
    browsed = await browsePast(deps.db, shop.id, { status, text: meant }, page, now);
    live = await readLiveCount(deps.db, shop.id, now);
  } else {
    const rows = await readLiveRows(deps.db, shop.id, now);
    live = rows.length;
    const found = meant === null ? rows : await judge(visit, deps, rows, meant);
    browsed = pageOfLive(found, query, page, now);
  }
  const resolve = await readTargets(deps.db, shop.id, browsed.rows);
  const boosts = browsed.rows.map((row) => ({ row, target: targetOf(row, resolve) }));
  return { boosts, next: browsed.next, live };
}

/** The cards and products that a text means, by the searches of the pickers; a search that is busy finds none. */
async function meaningOf(visit: Visit, { picks }: ConsoleDeps, text: string): Promise<BoostText> {
  const idsOf = async (kind: 'card' | 'product'): Promise<readonly string[]> => {
    const search = await picks.search(kind, visit, text);
    return search.kind === 'found' ? search.options.map(({ id }) => id) : [];
  };
  const [cardIds, productIds] = await Promise.all([idsOf('card'), idsOf('product')]);
  return { cardIds, productIds, note: text };
}

/** The live boosts that a text means: by the searches, or because their name, number, set or note holds every word. */
async function judge(
  { shop }: Visit,
  { db }: ConsoleDeps,
  live: readonly BoostRow[],
  { cardIds, productIds, note }: BoostText,
): Promise<readonly BoostRow[]> {
  const ids = new Set([...cardIds, ...productIds]);
  const words = fold(note).split(/\s+/u).filter(Boolean);
  const resolve = await readTargets(db, shop.id, live);
  return live.filter((row) => {
    if (ids.has(row.cardId ?? row.productId ?? '')) return true;
    const text = `${fold(row.note ?? '')} ${textOf(row, resolve)}`;
    return words.every((word) => text.includes(word));
  });
}

function textOf(row: BoostRow, resolve: ResolveTarget): string {
  const target = targetOf(row, resolve);
  if (target.kind === 'product') return fold(target.product.name);
  const { name, localizedNames, cardNumber, set, rarity } = target.card;
  const names = [name, ...Object.values(localizedNames)];
  const texts = [...names, cardNumber, set?.code, set?.name, rarity?.code];
  return texts.map((each) => fold(each ?? '')).join(' ');
}
