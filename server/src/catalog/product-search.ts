import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { BoostProduct } from './product.ts';
import { fold } from '../card-search/fold.ts';
import { parseIdentifier } from './identifier.ts';
import { readCatalogPosition, readProducts } from './read-entries.ts';

interface ProductTexts {
  readonly id: string;
  readonly name: string;
  readonly productKind: string;
  readonly gameCode: string;
  readonly gameName: string;
  readonly isActive: boolean;
}

interface IndexedProduct {
  readonly id: string;
  readonly name: string;
  /** The folded name, kind and game. */
  readonly text: string;
}

/** The number of products in a page, at about 150 bytes each. */
const PAGE_PRODUCTS = 5_000;
/** About 400 bytes each. A large catalog has 20,000. Only a JAN or id finds products beyond it. */
const PRODUCTS_MAX = 100_000;
const WORDS_MAX = 20;

export const selectActiveProductTexts = statement<ProductTexts>(
  'select_active_product_texts',
  `select p.product_id as id, p.name, p.product_kind as "productKind", g.code as "gameCode",
    g.name as "gameName", p.is_active as "isActive"
  from product p join game g using (game_id)
  where p.is_active and ($1::uuid is null or p.product_id > $1)
  order by p.product_id limit $2`,
);

export const selectChangedProductTexts = statement<ProductTexts & { readonly position: number }>(
  'select_changed_product_texts',
  `select c.position, p.product_id as id, p.name, p.product_kind as "productKind",
    g.code as "gameCode", g.name as "gameName", p.is_active as "isActive"
  from catalog_change c
    join product p on p.product_id = c.entry_id
    join game g using (game_id)
  where c.entry_kind = 'product' and c.position > $1 and c.position <= $2
  order by c.position limit $3`,
);

export const selectProductIdsByCode = statement<{ readonly id: string }>(
  'select_product_ids_by_code',
  `select product_id as id from product
  where is_active and (product_id = $1 or jan_code = any($2::text[]))
  order by char_length(name), product_id limit $3`,
);

/** A search first updates the folded names in memory if the catalog has changed (decision 0194). */
export class ProductSearch {
  readonly #db: Database;
  readonly #products = new Map<string, IndexedProduct>();
  #position: number | null = null;
  #refreshing: Promise<void> | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * If the text is the JAN or id of products, returns these. Otherwise every word must occur in the
   * name, kind or game; width, case, accents and katakana or hiragana do not matter. The order is:
   * names that begin with the first word, then names that contain all words, then the rest; within
   * each of these groups, shorter names come first.
   */
  async find(text: string, limit: number): Promise<BoostProduct[]> {
    const byCode = await this.#findByCode(text, limit);
    if (byCode.length > 0) return await this.#read(byCode);
    const words = fold(text).split(/\s+/u).filter(Boolean);
    const [first] = words;
    if (first === undefined || words.length > WORDS_MAX) return [];
    await (this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    }));
    const found = [...this.#products.values()].filter(({ text: own }) =>
      words.every((word) => own.includes(word)),
    );
    const rankOf = ({ name }: IndexedProduct): number => {
      if (name.startsWith(first)) return 0;
      return words.every((word) => name.includes(word)) ? 1 : 2;
    };
    const ranked = found.map((each) => ({ each, rank: rankOf(each) }));
    ranked.sort(
      (a, b) =>
        a.rank - b.rank ||
        a.each.name.length - b.each.name.length ||
        (a.each.id < b.each.id ? -1 : 1),
    );
    return await this.#read(ranked.slice(0, limit).map(({ each }) => each.id));
  }

  async #findByCode(text: string, limit: number): Promise<string[]> {
    const identifier = parseIdentifier(text);
    if (identifier === null) return [];
    const id = identifier.kind === 'id' ? identifier.id : null;
    const codes = identifier.kind === 'jan' ? identifier.codes : [];
    const rows = await this.#db.query(selectProductIdsByCode, [id, codes, limit]);
    return rows.map((row) => row.id);
  }

  async #read(ids: readonly string[]): Promise<BoostProduct[]> {
    const products = await readProducts(this.#db, ids);
    return ids.flatMap((id) => products.get(id) ?? []);
  }

  async #refresh(): Promise<void> {
    const head = await readCatalogPosition(this.#db);
    // A lower position means that the database was restored from a backup.
    if (this.#position === null || head < this.#position) await this.#readAll();
    else if (head > this.#position) await this.#readChanges(this.#position, head);
    this.#position = head;
  }

  async #readAll(): Promise<void> {
    this.#products.clear();
    let afterId: string | null = null;
    while (this.#products.size < PRODUCTS_MAX) {
      const rows: ProductTexts[] = await this.#db.query(selectActiveProductTexts, [
        afterId,
        PAGE_PRODUCTS,
      ]);
      for (const row of rows) this.#apply(row);
      if (rows.length < PAGE_PRODUCTS) return;
      afterId = rows.at(-1)?.id ?? null;
    }
  }

  async #readChanges(from: number, to: number): Promise<void> {
    let after = from;
    while (after < to) {
      const rows = await this.#db.query(selectChangedProductTexts, [after, to, PAGE_PRODUCTS]);
      for (const row of rows) this.#apply(row);
      if (rows.length < PAGE_PRODUCTS) return;
      after = rows.at(-1)?.position ?? to;
    }
  }

  #apply({ id, name, productKind, gameCode, gameName, isActive }: ProductTexts): void {
    if (!isActive) {
      this.#products.delete(id);
      return;
    }
    if (this.#products.size >= PRODUCTS_MAX && !this.#products.has(id)) return;
    const folded = fold(name);
    const text = `${folded} ${fold(`${productKind} ${gameCode} ${gameName}`)}`;
    this.#products.set(id, { id, name: folded, text });
  }
}
