import { isUuid } from '../../base/field.ts';
import { FairLimiter, type LimiterOptions } from '../../base/fair-limiter.ts';
import type { Card } from '../../catalog/card.ts';
import type { BoostProduct } from '../../catalog/product.ts';
import { ProductSearch } from '../../catalog/product-search.ts';
import type { CardSearch, Searcher } from '../../catalog/card-search.ts';
import { readCards, readProducts } from '../../catalog/read-entries.ts';
import type { Database } from '../../database/database.ts';
import type { Language } from '../../html/language.ts';
import type { RequestContext } from '../request-context.ts';
import {
  cardNumberText,
  detailsOfCard,
  detailsOfProduct,
  type ItemName,
  nameOfCard,
} from './item-text.ts';

export type CatalogKind = 'card' | 'product';

export interface CatalogEntry {
  readonly id: string;
  readonly name: ItemName;
  readonly details: string;
  /** The texts that identify the entry when typed in full: names, numbers and codes. */
  readonly exact: readonly string[];
}

export type LookupResult =
  | { readonly kind: 'found'; readonly options: readonly CatalogEntry[] }
  /** There was no text, or more text than a search accepts. */
  | { readonly kind: 'empty' | 'too_long' }
  /** The index is being built, or too many searches of this account are waiting. */
  | { readonly kind: 'unavailable' };

export interface PickerState {
  readonly chosen: CatalogEntry | null;
  /** The text in the search field. */
  readonly text: string;
  /** The result of the search, or null if no search was made. */
  readonly result: LookupResult | null;
}

export type PickerFields = ReadonlyMap<string, string>;

/**
 * The maximum length of a search text in code points, and the maximum number of hits per response.
 * The Partner API has the same limits (spec 4.8).
 */
export const SEARCH_CHARACTERS_MAX = 150;
const HITS_MAX = 25;

/** A person only needs the result of the last search, so the queue and the wait are short. */
const SEARCH_BOUNDS: LimiterOptions = {
  bounds: [
    { running: 8, waiting: 200 },
    { running: 4, waiting: 40 },
    { running: 2, waiting: 8 },
  ],
  waitMsMax: 5_000,
};

interface LookupDeps {
  readonly db: Database;
  readonly search: CardSearch;
}

/**
 * Searches cards and products for pickers, with a limit on the concurrent searches of each account.
 * The whole console shares one instance as `deps.catalogLookup`.
 */
export class CatalogLookup {
  readonly #deps: LookupDeps;
  readonly #productSearch: ProductSearch;
  readonly #limiter = new FairLimiter(SEARCH_BOUNDS);

  constructor(deps: LookupDeps) {
    this.#deps = deps;
    this.#productSearch = new ProductSearch(deps.db);
  }

  /**
   * Returns the state of the picker called `name`, from the fields of its form. The text is
   * searched if nothing is chosen or the person presses the search button.
   */
  async read(
    kind: CatalogKind,
    context: RequestContext,
    fields: PickerFields,
    name: string,
  ): Promise<PickerState> {
    const chosen = await this.find(kind, fields.get(name), context.language);
    const text = fields.get(`${name}_q`) ?? '';
    const isSearch = isSearchRequested(fields, name) || (chosen === null && text.trim() !== '');
    return { chosen, text, result: isSearch ? await this.search(kind, context, text) : null };
  }

  /** Includes inactive entries, because stock and boosts may refer to them. */
  async find(
    kind: CatalogKind,
    id: string | null | undefined,
    language: Language,
  ): Promise<CatalogEntry | null> {
    if (!isUuid(id)) return null;
    const { db } = this.#deps;
    const key = id.toLowerCase();
    if (kind === 'card') {
      const card = (await readCards(db, [key])).get(key);
      return card === undefined ? null : cardOption(card, language);
    }
    const product = (await readProducts(db, [key])).get(key);
    return product === undefined ? null : productOption(product, language);
  }

  /**
   * Returns the active cards or products that match a text, best match first. The limits are those
   * of `GET /cards` (spec 4.8).
   */
  async search(
    kind: CatalogKind,
    { shop, account, language, request }: RequestContext,
    text: string,
  ): Promise<LookupResult> {
    if (text.trim() === '') return { kind: 'empty' };
    // A code point takes at most two UTF-16 units, so a longer text need not be counted.
    const isLong = text.length > SEARCH_CHARACTERS_MAX * 2;
    if (isLong || [...text].length > SEARCH_CHARACTERS_MAX) return { kind: 'too_long' };
    const path = [shop.id, account.id] as const;
    const searcher = { path, signal: request.signal };
    const done = await this.#limiter.run(
      path,
      async () =>
        kind === 'card'
          ? await this.#cards(text, language, searcher)
          : await this.#products(text, language),
      request.signal,
    );
    return done?.value ?? { kind: 'unavailable' };
  }

  async #cards(text: string, language: Language, searcher: Searcher): Promise<LookupResult> {
    const result = await this.#deps.search.find(text, HITS_MAX, searcher);
    if (result.kind !== 'found') return { kind: 'unavailable' };
    return { kind: 'found', options: result.cards.map((card) => cardOption(card, language)) };
  }

  async #products(text: string, language: Language): Promise<LookupResult> {
    const products = await this.#productSearch.find(text, HITS_MAX);
    return { kind: 'found', options: products.map((each) => productOption(each, language)) };
  }
}

/**
 * Returns true if a picker's search button submitted the form. The page then shows hits and writes
 * nothing.
 */
export function isSearchRequested(fields: PickerFields, name: string): boolean {
  return fields.has(`${name}_find`);
}

function cardOption(card: Card, language: Language): CatalogEntry {
  const [name, details] = [nameOfCard(card, language), detailsOfCard(card, language)];
  const { cardNumber, janCode, localizedNames } = card;
  const texts = [card.id, janCode, cardNumber, cardNumberText(card), card.name];
  const exact = [...texts, ...Object.values(localizedNames)].filter((text) => text !== null);
  return { id: card.id, name, details, exact };
}

function productOption(product: BoostProduct, language: Language): CatalogEntry {
  const name = { text: product.name, lang: product.languageCode };
  const { id, janCode } = product;
  const exact = [id, product.name, ...(janCode === null ? [] : [janCode])];
  return { id, name, details: detailsOfProduct(product, language), exact };
}
