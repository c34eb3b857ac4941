import { isUuid } from '../../base/field.ts';
import { KeyedLimiter, type LimiterBounds } from '../../base/keyed-limiter.ts';
import type { Card } from '../../catalog/card.ts';
import type { BoostProduct } from '../../catalog/product.ts';
import { ProductSearch } from '../../catalog/product-search.ts';
import type { CardSearch } from '../../catalog/search/card-search.ts';
import { readCards, readProducts } from '../../catalog/view.ts';
import type { Database } from '../../database/database.ts';
import type { Language } from '../../pages/language.ts';
import type { Visit } from '../visit.ts';
import { detailsOfCard, detailsOfProduct, type ItemName, nameOfCard } from './item-words.ts';

/** What a picker picks among. */
export type PickKind = 'card' | 'product';

export interface PickOption {
  readonly id: string;
  readonly name: ItemName;
  readonly details: string;
}

/** What a search came to. */
export type PickSearch =
  | { readonly kind: 'found'; readonly options: readonly PickOption[] }
  /** Nothing to look for, or more than a search takes. */
  | { readonly kind: 'empty' | 'too_long' }
  /** The index is being built, or too many searches of this account wait. */
  | { readonly kind: 'unavailable' };

/** The state of one picker of a form. */
export interface Pick {
  readonly chosen: PickOption | null;
  /** What was typed into the search field. */
  readonly text: string;
  /** Null: nothing was looked for. */
  readonly search: PickSearch | null;
}

/** The fields of a form or a query. */
export type PickFields = ReadonlyMap<string, string>;

/** Specification 4.8: code points of a search; and hits of one answer. The same as apps have. */
export const SEARCH_CHARACTERS_MAX = 150;
const HITS_MAX = 25;

/** A person types one search after another and the last is what counts: few wait, and not for long. */
const ACCOUNT_BOUNDS: LimiterBounds = { atOnce: 2, waitingMax: 8, waitMsMax: 5_000 };

/** What looking up needs. `Pick` is another thing here. */
interface PickDeps {
  readonly db: Database;
  readonly search: CardSearch;
}

/** Looks cards and products up for pickers, a few at a time for each account. One for the whole console: `deps.picks`. */
export class CatalogPicks {
  readonly #deps: PickDeps;
  readonly #productSearch: ProductSearch;
  readonly #turns = new KeyedLimiter(ACCOUNT_BOUNDS);

  constructor(deps: PickDeps) {
    this.#deps = deps;
    this.#productSearch = new ProductSearch(deps.db);
  }

  /**
   * The state of the picker that is called `name`, from the fields of the form it stands in. What was typed is looked up
   * when nothing is chosen, or when the person asks for hits.
   */
  async read(kind: PickKind, visit: Visit, fields: PickFields, name: string): Promise<Pick> {
    const chosen = await this.find(kind, fields.get(name), visit.language);
    const text = fields.get(`${name}_q`) ?? '';
    const isAsked = asksForHits(fields, name) || (chosen === null && text.trim() !== '');
    return { chosen, text, search: isAsked ? await this.search(kind, visit, text) : null };
  }

  /** What has this id, inactive or not: stock and boosts may refer to it. */
  async find(
    kind: PickKind,
    id: string | null | undefined,
    language: Language,
  ): Promise<PickOption | null> {
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

  /** The active ones that a text means, best first, under the bounds of GET /cards (specification 4.8). */
  async search(
    kind: PickKind,
    { account, language, request }: Visit,
    text: string,
  ): Promise<PickSearch> {
    if (text.trim() === '') return { kind: 'empty' };
    // A code point is at most two units: a longer text is not counted.
    const isLong = text.length > SEARCH_CHARACTERS_MAX * 2;
    if (isLong || [...text].length > SEARCH_CHARACTERS_MAX) return { kind: 'too_long' };
    const done = await this.#turns.run(
      account.id,
      async () =>
        kind === 'card' ? await this.#cards(text, language) : await this.#products(text, language),
      request.signal,
    );
    return done?.value ?? { kind: 'unavailable' };
  }

  async #cards(text: string, language: Language): Promise<PickSearch> {
    const result = await this.#deps.search.find(text, HITS_MAX);
    if (result.kind !== 'found') return { kind: 'unavailable' };
    return { kind: 'found', options: result.cards.map((card) => cardOption(card, language)) };
  }

  async #products(text: string, language: Language): Promise<PickSearch> {
    const products = await this.#productSearch.find(text, HITS_MAX);
    return { kind: 'found', options: products.map((each) => productOption(each, language)) };
  }
}

/** True when a form was sent by the search button of a picker: it is shown again with hits, and nothing is written. */
export function asksForHits(fields: PickFields, name: string): boolean {
  return fields.has(`${name}_find`);
}

function cardOption(card: Card, language: Language): PickOption {
  const [name, details] = [nameOfCard(card, language), detailsOfCard(card, language)];
  return { id: card.id, name, details };
}

function productOption(product: BoostProduct, language: Language): PickOption {
  const name = { text: product.name, lang: product.languageCode };
  return { id: product.id, name, details: detailsOfProduct(product, language) };
}
