import { countMatchingStock, type MatchCount } from '../../inventory/stock-match-counts.ts';
import { spellingsOf, type StockFilter, type StockUnit } from '../../inventory/stock-list.ts';
import {
  splitAvailableFirst,
  listStockSequence,
  type SequencePage,
} from '../../inventory/stock-sequence.ts';
import { UNIT_STATUSES } from '../../inventory/unit-status.ts';
import type { ConsoleDeps } from '../deps.ts';
import { SEARCH_CHARACTERS_MAX } from '../parts/catalog-lookup.ts';
import { hasSearchTerms, shownStatuses, type StockListFilter } from '../parts/stock-filter.ts';
import type { RequestContext } from '../request-context.ts';

/** The number of units on one page. Each is a checkbox of the bulk form. */
export const PAGE_UNITS = 50;
/** Together with at most 25 products, these cards stay within `STOCK_ITEMS_MAX`. */
const CARDS_MAX = 75;
/** Every certificate or serial number is shorter than this. */
const EXACT_CHARACTERS_MAX = 100;

/** The units of a list, and how the search text was interpreted. */
export interface FoundStock extends SequencePage {
  /** The number of units on this page that have the text as their id or number. */
  readonly exact: number;
  /** Counts by status, or null if the stored counts by site and status are enough. */
  readonly counts: readonly MatchCount[] | null;
  /** The reason why the result is missing or incomplete, or null if the result is complete. */
  readonly problem: 'too_long' | 'unavailable' | null;
}

/**
 * The filters that a search was resolved to: their units, list after list, make up the result.
 * There are none if the text was not searched.
 */
export interface ResolvedStockSearch {
  readonly lists: readonly StockFilter[];
  /** The single filter that matches the same units, used to count them. */
  readonly counted: StockFilter;
  readonly problem: FoundStock['problem'];
}

const NOT_FOUND = { units: [], next: null, exact: 0, counts: [] } as const;

type TextMatches = Pick<StockFilter, 'cardIds' | 'productIds'>;

/** Finds the units for the filters of a list. */
export class StockSearch {
  readonly #deps: Pick<ConsoleDeps, 'db' | 'search' | 'catalogLookup'>;

  constructor(deps: Pick<ConsoleDeps, 'db' | 'search' | 'catalogLookup'>) {
    this.#deps = deps;
  }

  /**
   * Finds the units of one page. Units with the text as their id, certificate or serial number come
   * first, then those of the cards and products that match the text. In both parts, available units
   * come first.
   */
  async find(context: RequestContext, filter: StockListFilter): Promise<FoundStock> {
    const { shop } = context;
    const resolved = await this.resolve(context, filter);
    if (resolved.lists.length === 0) return { ...NOT_FOUND, problem: resolved.problem };
    const [page, counts] = await Promise.all([
      this.#list(shop.id, resolved.lists, filter),
      countMatchingStock(this.#deps.db, shop.id, resolved.counted),
    ]);
    const { text } = filter;
    const exact = text === '' ? 0 : page.units.filter((unit) => hasNumber(unit, text)).length;
    return { ...page, counts, exact, problem: resolved.problem };
  }

  /** Resolves the search text. Returns the lists in display order. */
  async resolve(context: RequestContext, filter: StockListFilter): Promise<ResolvedStockSearch> {
    const { text } = filter;
    const plain = filterOf(filter);
    if (text === '') {
      const lists = hasSearchTerms(filter) ? splitAvailableFirst(plain) : [plain];
      return { lists, counted: plain, problem: null };
    }
    if (text.length > 2 * SEARCH_CHARACTERS_MAX || [...text].length > SEARCH_CHARACTERS_MAX) {
      return { lists: [], counted: plain, problem: 'too_long' };
    }
    const matches = await this.#items(context, text);
    const number = text.length <= EXACT_CHARACTERS_MAX ? text : undefined;
    const items = { ...plain, ...within(plain, matches ?? { cardIds: [], productIds: [] }) };
    const lists = [
      ...(number === undefined ? [] : splitAvailableFirst({ ...plain, exact: number })),
      ...splitAvailableFirst({ ...items, exceptExact: number }),
    ];
    const problem = matches === null ? 'unavailable' : null;
    return { lists, counted: { ...items, exact: number }, problem };
  }

  async #list(
    shopId: string,
    lists: readonly StockFilter[],
    { from }: StockListFilter,
  ): Promise<SequencePage> {
    return await listStockSequence(this.#deps.db, shopId, lists, { from, limit: PAGE_UNITS });
  }

  /** Finds the cards and products that match a text. Returns null if the search is unavailable. */
  async #items(context: RequestContext, text: string): Promise<TextMatches | null> {
    const { shop, account, request } = context;
    const searcher = { path: [shop.id, account.id], signal: request.signal } as const;
    const [cards, products] = await Promise.all([
      this.#deps.search.find(text, CARDS_MAX, searcher),
      this.#deps.catalogLookup.search('product', context, text),
    ]);
    if (cards.kind !== 'found' || products.kind !== 'found') return null;
    return {
      cardIds: cards.cards.map(({ id }) => id),
      productIds: products.options.map(({ id }) => id),
    };
  }
}

/** Returns the matches within the card or product that the list is already filtered by. */
function within(plain: StockFilter, matches: TextMatches): TextMatches {
  const { cardIds, productIds } = plain;
  if (cardIds === undefined && productIds === undefined) return matches;
  return {
    cardIds: matches.cardIds?.filter((id) => cardIds?.includes(id)) ?? [],
    productIds: matches.productIds?.filter((id) => productIds?.includes(id)) ?? [],
  };
}

function filterOf(filter: StockListFilter): StockFilter {
  const { siteId, locationId, gradeId, cardId, productId } = filter;
  const statuses = shownStatuses(filter);
  return {
    statuses: statuses === UNIT_STATUSES ? undefined : statuses,
    siteId: siteId ?? undefined,
    locationId: locationId ?? undefined,
    gradeId: gradeId ?? undefined,
    cardIds: cardId === null ? undefined : [cardId],
    productIds: productId === null ? undefined : [productId],
  };
}

function hasNumber({ id, certNumber, serialNumber }: StockUnit, text: string): boolean {
  const numbers = spellingsOf(text);
  return (
    [certNumber, serialNumber].some((each) => each !== null && numbers.includes(each)) ||
    id === text.toLowerCase()
  );
}
