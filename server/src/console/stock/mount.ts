import { removeUnitPhoto } from '../../inventory/photo.ts';
import type { LimitedWrite } from '../../http/write-limiter.ts';
import { ImportRunner } from '../../stock-file/import-runner.ts';
import { parseSide } from '../../inventory/unit-photo.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, sendFile } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { parseStockFilter, stockListPath } from '../parts/stock-filter.ts';
import { parseUuid } from '../query.ts';
import {
  BUY_ON_BOOST_PERMISSIONS,
  EDIT_STOCK_PERMISSIONS,
  withResource,
  type MountSection,
} from '../section.ts';
import type { RequestContext } from '../request-context.ts';
import { changeTickedUnits, undoBulk } from './bulk.ts';
import { buy, buyPage } from './buy.ts';
import { exportStock } from './export.ts';
import { StockSearch } from './find-stock.ts';
import { mountImport } from './import-actions.ts';
import { showStock } from './list-page.ts';
import { mountPhotoRoute } from './photo-route.ts';
import { mountPhotoUpload } from './photo-upload.ts';
import { receive, receivePage } from './receive.ts';
import { undoReceiptAction } from './undo-receipt.ts';
import { editUnitPage, saveUnit } from './unit-edit.ts';
import { unitPage } from './unit-page.ts';
import { changeStatus, confirmStatus, moveUnit } from './unit-status-action.ts';

export const mountStock: MountSection = async (routes, deps) => {
  const search = new StockSearch(deps);
  routes.page('/stock', 'inventory.read', async (context) =>
    showStock(deps, search, context, parseStockFilter(context.query)),
  );
  routes.page('/stock/export.csv', 'inventory.read', async (context) => {
    const filter = { ...parseStockFilter(context.query), from: null };
    const { lists, problem } = await search.resolve(context, filter);
    // The list's page explains why the search did not run.
    if (problem !== null) return redirectTo(stockListPath(context, filter));
    const name = `stock-${context.shop.slug}-${context.now.toISOString().slice(0, 10)}.csv`;
    const lines = exportStock(deps.db, context, lists);
    return sendFile(name, 'text/csv; charset=utf-8; header=present', lines);
  });
  routes.action('/stock/bulk', EDIT_STOCK_PERMISSIONS, async (context) =>
    changeTickedUnits(deps, search, context),
  );
  routes.action('/stock/bulk/undo', EDIT_STOCK_PERMISSIONS, async (context) =>
    undoBulk(deps, context),
  );
  routes.page('/stock/receive', EDIT_STOCK_PERMISSIONS, async (context) =>
    receivePage(deps, context),
  );
  routes.action('/stock/receive', EDIT_STOCK_PERMISSIONS, async (context) =>
    receive(deps, context),
  );
  routes.action('/stock/receipts/:id/undo', EDIT_STOCK_PERMISSIONS, async (context) =>
    undoReceiptAction(deps, context),
  );
  routes.page('/boosts/:id/buy', BUY_ON_BOOST_PERMISSIONS, async (context) =>
    buyPage(deps, context),
  );
  routes.action('/boosts/:id/buy', BUY_ON_BOOST_PERMISSIONS, async (context) => buy(deps, context));
  const withUnit = withResource(
    deps,
    async (_db, { params }) => parseUuid(params['id']) ?? undefined,
  );
  const unit = '/stock/:id';
  routes.page(unit, 'inventory.read', withUnit(unitPage));
  routes.page(`${unit}/edit`, EDIT_STOCK_PERMISSIONS, withUnit(editUnitPage));
  routes.action(`${unit}/edit`, EDIT_STOCK_PERMISSIONS, withUnit(saveUnit));
  routes.action(`${unit}/status`, EDIT_STOCK_PERMISSIONS, withUnit(changeStatus));
  routes.page(`${unit}/confirm`, EDIT_STOCK_PERMISSIONS, withUnit(confirmStatus));
  routes.action(`${unit}/move`, EDIT_STOCK_PERMISSIONS, withUnit(moveUnit));
  routes.action(`${unit}/photos/:side/remove`, EDIT_STOCK_PERMISSIONS, withUnit(removePhoto));
  mountPhotoRoute(routes, deps);
  await mountPhotoUpload(routes, deps);
  const { db, clock, log, shopUnitsMax: unitsMax } = deps;
  // The runner has one import of a shop at a time, so its writes need no limit, and are not refused.
  const write: LimitedWrite = async (_shopId, work) => await db.transaction(work);
  const onFault = (error: unknown): void => log.error({ error }, 'an import of stock failed');
  const runner = new ImportRunner({ db, clock, write, unitsMax, onFault });
  routes.scope.addHook('onReady', async () => runner.startResuming());
  routes.scope.addHook('onClose', async () => await runner.close());
  await mountImport(routes, deps, runner);
};

async function removePhoto(
  { write }: ConsoleDeps,
  context: RequestContext,
  unitId: string,
): Promise<ConsoleResponse> {
  const side = parseSide(context.params['side']);
  if (side === null) return NOT_FOUND;
  const result = await write(
    context.shop.id,
    async (tx) => await removeUnitPhoto(tx, context.shop.id, unitId, side, context.now),
  );
  if (result.kind === 'not_found') return NOT_FOUND;
  const flash = result.kind === 'removed' ? 'photo_removed' : 'unchanged';
  return redirectTo(context.shopPath(`/stock/${unitId}`), flash);
}
