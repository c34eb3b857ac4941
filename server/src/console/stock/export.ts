import { BYTE_ORDER_MARK, csvLine } from '../../base/csv-line.ts';
import type { Queryable } from '../../database/database.ts';
import { listStock, type StockFilter, type StockUnit } from '../../inventory/stock-list.ts';
import type { OwnValues } from '../../inventory/unit-row.ts';
import { readUnitValues } from '../../inventory/unit-values.ts';
import { findShopTimezone } from '../../inventory/shop-timezone.ts';
import { amountText } from '../../shops/amount-text.ts';
import type { FileField } from '../../stock-file/columns.ts';
import { FIELD_NAMES } from '../../stock-file/fault-text.ts';
import type { Language } from '../../html/language.ts';
import { statusName } from '../parts/unit-status.ts';
import type { RequestContext } from '../request-context.ts';
import { itemGradeText } from './item-cell.ts';
import { stockFileMessages } from './messages/list.ts';

/** About 25 MB. A larger stock is exported by site or status. */
export const EXPORT_UNITS_MAX = 100_000;
/** The number of units in one read, about 50 KB. No connection is held between two reads. */
const BATCH_UNITS = 200;

interface ExportedUnit extends StockUnit {
  readonly own: OwnValues | undefined;
}

type Cell = (unit: ExportedUnit) => string | null | undefined;

/**
 * Exports the units of these lists as CSV (RFC 4180), one row for each unit. The import recognizes
 * the columns, so that an edited file can be imported to change its units.
 */
export async function* exportStock(
  db: Queryable,
  { shop, language, can }: Pick<RequestContext, 'shop' | 'language' | 'can'>,
  lists: readonly StockFilter[],
): AsyncGenerator<string> {
  const timezone = (await findShopTimezone(db, shop.id)) ?? 'UTC';
  const columns = columnsFor(language, timezone, can('inventory.cost'));
  yield `${BYTE_ORDER_MARK}${csvLine(columns.map(([name]) => name))}`;
  for await (const units of unitsOf(db, shop.id, lists)) {
    const ids = units.map(({ id }) => id);
    const values = await readUnitValues(db, shop.id, ids);
    const lines = units.map((unit) => {
      const exported = { ...unit, own: values.get(unit.id) };
      return csvLine(columns.map(([, cell]) => cell(exported) ?? ''));
    });
    yield lines.join('');
  }
}

function columnsFor(
  language: Language,
  timezone: string,
  hasCost: boolean,
): readonly (readonly [string, Cell])[] {
  const messages = stockFileMessages[language];
  // Writes a day such as 2026-11-24.
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone });
  const field = (name: FileField, cell: Cell): readonly [string, Cell] => [
    FIELD_NAMES[name][language],
    cell,
  ];
  const card =
    (cell: (card: CardOf) => string | null | undefined): Cell =>
    ({ item }) =>
      item.kind === 'card' ? cell(item.card) : null;
  const cost: Cell = ({ own, currency }) => amountText(own?.costMinor ?? null, currency);
  return [
    field('unitId', ({ id }) => id),
    [messages.status, ({ status }) => statusName(status, language)],
    field('name', ({ item }) => (item.kind === 'card' ? item.card.name : item.product.name)),
    field(
      'set',
      card(({ set }) => set?.code),
    ),
    field(
      'number',
      card(({ cardNumber }) => cardNumber),
    ),
    field(
      'language',
      card(({ languageCode }) => languageCode),
    ),
    field(
      'finish',
      card(({ finish }) => finish),
    ),
    field(
      'variant',
      card(({ variant }) => variant),
    ),
    field('jan', ({ item }) => (item.kind === 'product' ? item.product.janCode : null)),
    field('itemId', ({ item }) => (item.kind === 'card' ? item.card.id : item.product.id)),
    field('condition', ({ item }) => itemGradeText(item)),
    field('certNumber', ({ certNumber }) => certNumber),
    field('serialNumber', ({ serialNumber }) => serialNumber),
    field('price', ({ priceMinor, currency }) => amountText(priceMinor, currency)),
    ...(hasCost ? [field('cost', cost)] : []),
    [messages.currency, ({ currency }) => currency],
    field('site', ({ site }) => site.name),
    field('location', ({ location }) => location?.name),
    field('ownership', ({ ownership }) => ownership),
    // The import ignores a column of this name. Importing the day would drop the time of day.
    [messages.acquired, ({ acquiredAt }) => acquiredAt && day.format(acquiredAt)],
  ];
}

type CardOf = Extract<StockUnit['item'], { readonly kind: 'card' }>['card'];

/**
 * Reads the units of the lists in batches, each unit once. A unit that changes during the export
 * moves to the newest end of its list, so the units changed since the start are read last.
 */
async function* unitsOf(
  db: Queryable,
  shopId: string,
  lists: readonly StockFilter[],
): AsyncGenerator<readonly StockUnit[]> {
  const newest = await listStock(db, shopId, {}, { beforeSeq: null, limit: 1 });
  const startSeq = newest.units[0]?.seq ?? 0;
  const exported = new Set<string>();
  for (const sinceSeq of [0, startSeq]) {
    for (const list of lists) {
      let beforeSeq: number | null = null;
      do {
        const page = await listStock(db, shopId, list, { beforeSeq, limit: BATCH_UNITS });
        const fresh = page.units
          .filter(({ id, seq }) => seq > sinceSeq && !exported.has(id))
          .slice(0, EXPORT_UNITS_MAX - exported.size);
        for (const { id } of fresh) exported.add(id);
        yield fresh;
        beforeSeq = page.nextBeforeSeq;
      } while (beforeSeq !== null && beforeSeq > sinceSeq && exported.size < EXPORT_UNITS_MAX);
    }
  }
}
