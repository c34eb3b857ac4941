import { putUnits, type UnitChange } from '../inventory/unit.ts';
import type { Backend } from './backend.ts';
import { FIXED_SHOPS, type FixedShop } from './credentials.ts';

/** The maximum number of units per call. `inventory` writes at most this many in a batch. */
export const CHANGES_MAX = 500;
const PRICE_STEP_MINOR = 10;

/** Changes units as a shop's till would. Each call continues after the units of the last call. */
export class StockChanger {
  /** The number of changes by shop. */
  readonly #changedCounts = new Map<string, number>();

  /** Raises the price of the next `changes` units, each unit once. */
  async change(
    { db, clock, stock }: Backend,
    shop: FixedShop,
    changes: number,
  ): Promise<
    | { readonly kind: 'changed'; readonly unitIds: readonly string[] }
    | { readonly kind: 'unprocessable'; readonly detail: string }
  > {
    const units = stock.shops[FIXED_SHOPS.indexOf(shop)]?.units ?? [];
    if (changes > units.length) {
      return {
        kind: 'unprocessable',
        detail: `The shop ${shop.slug} has only ${units.length} units.`,
      };
    }
    const offset = this.#changedCounts.get(shop.id) ?? 0;
    this.#changedCounts.set(shop.id, offset + changes);
    const written = Array.from({ length: changes }, (_, index): UnitChange => {
      const unit = units[(offset + index) % units.length];
      if (unit === undefined) throw new Error('a shop without units');
      const round = Math.floor((offset + index) / units.length) + 1;
      return { id: unit.id, priceMinor: (unit.priceMinor ?? 0) + round * PRICE_STEP_MINOR };
    });
    const results = await db.transaction(
      async (tx) => await putUnits(tx, shop, written, clock.now()),
    );
    const refused = results.find(({ kind }) => kind !== 'updated');
    if (refused !== undefined) {
      return {
        kind: 'unprocessable',
        detail: `A unit was not changed: ${JSON.stringify(refused)}`,
      };
    }
    return { kind: 'changed', unitIds: written.map(({ id }) => id) };
  }

  reset(): void {
    this.#changedCounts.clear();
  }
}
