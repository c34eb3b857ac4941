import { KeyedLimiter, type LimiterOptions } from '../../base/keyed-limiter.ts';
import { listStock, type StockFilter, type StockUnit } from '../../inventory/stock-list.ts';
import type { ConsoleDeps } from '../deps.ts';
import { SEARCH_CHARACTERS_MAX } from '../parts/catalog-lookup.ts';
import type { StockListFilter } from '../parts/stock-filter.ts';
import type { RequestContext } from '../request-context.ts';

/** The number of units on one page. Each unit has a checkbox, and a form has at most 100 fields. */
export const PAGE_UNITS = 50;
/**
 * The maximum number of cards in one search, so that the cards and the picker's products together
 * stay within `STOCK_ITEMS_MAX`.
 */
const CARDS_MAX = 75;
/**
 * The maximum length of a text that is looked up as a number, longer than any certificate or serial
 * number.
 */
const EXACT_CHARACTERS_MAX = 100;
/**
 * The limits of one account. A person sends one search after another, so few may wait, and only
 * briefly.
 */
const ACCOUNT_BOUNDS: LimiterOptions = { concurrency: 2, waitingMax: 8, waitMsMax: 5_000 };

/** The units of a list, and how the search text was interpreted. */
export interface FoundStock {
  readonly units: readonly StockUnit[];
  readonly nextBeforeSeq: number | null;
  /**
   * `exact` means that the text is the number of a unit, `items` that it matched cards and
   * products, and `all` that there was no text.
   */
  readonly matchedBy: 'exact' | 'items' | 'all' | 'too_long' | 'unavailable';
}

/** The cards and products that match a text. */
type TextMatches = Pick<StockFilter, 'cardIds' | 'productIds'>;

/** Finds the units for the filters of a list. */
export class StockSearch {
  readonly #deps: Pick<ConsoleDeps, 'db' | 'search' | 'catalogLookup'>;
  readonly #limiter = new KeyedLimiter(ACCOUNT_BOUNDS);

  constructor(deps: Pick<ConsoleDeps, 'db' | 'search' | 'catalogLookup'>) {
    this.#deps = deps;
  }

  /**
   * Finds the units of one page. A text is first looked up as a unit's id, certificate or serial
   * number, then searched in the names and numbers of cards and products.
   */
  async find(context: RequestContext, filter: StockListFilter): Promise<FoundStock> {
    const { shop, account, request } = context;
    const { text } = filter;
    const plain = filterOf(filter);
    if (text === '') return { ...(await this.#list(shop.id, plain, filter)), matchedBy: 'all' };
    if (text.length > 2 * SEARCH_CHARACTERS_MAX || [...text].length > SEARCH_CHARACTERS_MAX) {
      return { units: [], nextBeforeSeq: null, matchedBy: 'too_long' };
    }
    if (text.length <= EXACT_CHARACTERS_MAX) {
      const exact = await this.#list(shop.id, { ...plain, exact: text }, filter);
      if (exact.units.length > 0) return { ...exact, matchedBy: 'exact' };
    }
    const items = await this.#limiter.run(
      account.id,
      async () => await this.#items(context, text),
      request.signal,
    );
    const matches = items?.value ?? null;
    if (matches === null) return { units: [], nextBeforeSeq: null, matchedBy: 'unavailable' };
    const found = await this.#list(shop.id, { ...plain, ...within(plain, matches) }, filter);
    return { ...found, matchedBy: 'items' };
  }

  async #list(
    shopId: string,
    filter: StockFilter,
    { beforeSeq }: StockListFilter,
  ): Promise<Pick<FoundStock, 'units' | 'nextBeforeSeq'>> {
    return await listStock(this.#deps.db, shopId, filter, { beforeSeq, limit: PAGE_UNITS });
  }

  /** Finds the cards and products that match a text. Returns null if the search is unavailable. */
  async #items(context: RequestContext, text: string): Promise<TextMatches | null> {
    const [cards, products] = await Promise.all([
      this.#deps.search.find(text, CARDS_MAX),
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
  const { status, siteId, locationId, gradeId, cardId, productId } = filter;
  return {
    statuses: status === null ? undefined : [status],
    siteId: siteId ?? undefined,
    locationId: locationId ?? undefined,
    gradeId: gradeId ?? undefined,
    cardIds: cardId === null ? undefined : [cardId],
    productIds: productId === null ? undefined : [productId],
  };
}
