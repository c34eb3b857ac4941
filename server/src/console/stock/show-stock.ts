import { listPlaces } from '../../inventory/places.ts';
import { readStockCounts } from '../../inventory/stock-figures.ts';
import type { ConsoleAnswer } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { gradeChoices } from '../parts/grade-choices.ts';
import type { ListFilter } from '../parts/stock-filter.ts';
import type { Visit } from '../visit.ts';
import { EMPTY_BULK } from './bulk-bar.ts';
import type { StockSearch } from './find-stock.ts';
import { stockListPage } from './list-page.ts';

/** Shows the list of stock; with `bulk` as its form of several units was sent. */
export async function showStock(
  { db }: ConsoleDeps,
  search: StockSearch,
  visit: Visit,
  filter: ListFilter,
  bulk = EMPTY_BULK,
): Promise<ConsoleAnswer> {
  const { id } = visit.shop;
  const [found, counts, places, grades] = await Promise.all([
    search.find(visit, filter),
    readStockCounts(db, id),
    listPlaces(db, id),
    gradeChoices(db, id),
  ]);
  return stockListPage(visit, { filter, found, counts, places, grades, bulk });
}
