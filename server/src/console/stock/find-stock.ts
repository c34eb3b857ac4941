import { KeyedLimiter, type LimiterBounds } from '../../base/keyed-limiter.ts';
import { listStock, type StockFilter, type StockUnit } from '../../inventory/stock-list.ts';
import type { ConsoleDeps } from '../deps.ts';
import { SEARCH_CHARACTERS_MAX } from '../parts/pick.ts';
import type { ListFilter } from '../parts/stock-filter.ts';
import type { Visit } from '../visit.ts';

/** Units of a page: each may be chosen, and a form has at most 100 fields. */
export const PAGE_UNITS = 50;
/** Cards whose units one search shows; with the products of a picker's search `STOCK_ITEMS_MAX` at most. */
const CARDS_MAX = 75;
/** Longest certificate or serial number, with a margin. */
const EXACT_CHARACTERS_MAX = 100;
/** A person sends one search after another: few wait, and not for long. */
const ACCOUNT_BOUNDS: LimiterBounds = { atOnce: 2, waitingMax: 8, waitMsMax: 5_000 };

/** What a list shows, and how what was typed was understood. */
export interface FoundStock {
  readonly units: readonly StockUnit[];
  readonly nextBeforeSeq: number | null;
  /** `exact`: the number of a unit; `items`: cards and products; `all`: nothing was typed. */
  readonly by: 'exact' | 'items' | 'all' | 'too_long' | 'unavailable';
}

/** The cards and products that a text means. */
type Meant = Pick<StockFilter, 'cardIds' | 'productIds'>;

/** Finds the units that a list's address asks for. */
export class StockSearch {
  readonly #deps: Pick<ConsoleDeps, 'db' | 'search' | 'picks'>;
  readonly #turns = new KeyedLimiter(ACCOUNT_BOUNDS);

  constructor(deps: Pick<ConsoleDeps, 'db' | 'search' | 'picks'>) {
    this.#deps = deps;
  }

  /** What was typed is first taken for the id, certificate or serial number of a unit, then for names and numbers of cards. */
  async find(visit: Visit, filter: ListFilter): Promise<FoundStock> {
    const { shop, account, request } = visit;
    const { text } = filter;
    const plain = filterOf(filter);
    if (text === '') return { ...(await this.#list(shop.id, plain, filter)), by: 'all' };
    if (text.length > 2 * SEARCH_CHARACTERS_MAX || [...text].length > SEARCH_CHARACTERS_MAX) {
      return { units: [], nextBeforeSeq: null, by: 'too_long' };
    }
    if (text.length <= EXACT_CHARACTERS_MAX) {
      const exact = await this.#list(shop.id, { ...plain, exact: text }, filter);
      if (exact.units.length > 0) return { ...exact, by: 'exact' };
    }
    const items = await this.#turns.run(
      account.id,
      async () => await this.#items(visit, text),
      request.signal,
    );
    const meant = items?.value ?? null;
    if (meant === null) return { units: [], nextBeforeSeq: null, by: 'unavailable' };
    const found = await this.#list(shop.id, { ...plain, ...within(plain, meant) }, filter);
    return { ...found, by: 'items' };
  }

  async #list(
    shopId: string,
    filter: StockFilter,
    { beforeSeq }: ListFilter,
  ): Promise<Pick<FoundStock, 'units' | 'nextBeforeSeq'>> {
    return await listStock(this.#deps.db, shopId, filter, { beforeSeq, limit: PAGE_UNITS });
  }

  /** The cards and products that a text means, or null when they cannot be told now. */
  async #items(visit: Visit, text: string): Promise<Meant | null> {
    const [cards, products] = await Promise.all([
      this.#deps.search.find(text, CARDS_MAX),
      this.#deps.picks.search('product', visit, text),
    ]);
    if (cards.kind !== 'found' || products.kind !== 'found') return null;
    return {
      cardIds: cards.cards.map(({ id }) => id),
      productIds: products.options.map(({ id }) => id),
    };
  }
}

/** What was meant, within the card or product that the list is narrowed to already. */
function within(plain: StockFilter, meant: Meant): Meant {
  const { cardIds, productIds } = plain;
  if (cardIds === undefined && productIds === undefined) return meant;
  return {
    cardIds: meant.cardIds?.filter((id) => cardIds?.includes(id)) ?? [],
    productIds: meant.productIds?.filter((id) => productIds?.includes(id)) ?? [],
  };
}

function filterOf(filter: ListFilter): StockFilter {
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
