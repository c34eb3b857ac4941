import { removeUnitPhoto } from '../../inventory/photo.ts';
import { parseSide } from '../../inventory/unit-photo.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { readFilter } from '../parts/stock-filter.ts';
import { uuidOf } from '../query.ts';
import { CHANGES_STOCK, handlersOf, type MountSection } from '../section.ts';
import type { Visit } from '../visit.ts';
import { changeSeveral } from './bulk.ts';
import { StockSearch } from './find-stock.ts';
import { showStock } from './list-page.ts';
import { mountPhotoBytes } from './photo-bytes-route.ts';
import { mountPhotoUpload } from './photo-upload.ts';
import { receive, receivePage } from './receive.ts';
import { editUnitPage, saveUnit } from './unit-edit.ts';
import { unitPage } from './unit-page.ts';
import { changeStatus, confirmStatus, moveUnit } from './unit-status-action.ts';

/**
 * Mounts the pages of stock: the list, a unit with its actions and photos, and the form that
 * receives units.
 */
export const mountStock: MountSection = async (routes, deps) => {
  const search = new StockSearch(deps);
  routes.page('/stock', 'inventory.read', async (visit) =>
    showStock(deps, search, visit, readFilter(visit.query)),
  );
  routes.action('/stock/bulk', CHANGES_STOCK, async (visit) => changeSeveral(deps, search, visit));
  routes.page('/stock/receive', CHANGES_STOCK, async (visit) => receivePage(deps, visit));
  routes.action('/stock/receive', CHANGES_STOCK, async (visit) => receive(deps, visit));
  const ofUnit = handlersOf(deps, async (_db, { params }) => uuidOf(params['id']) ?? undefined);
  const unit = '/stock/:id';
  routes.page(unit, 'inventory.read', ofUnit(unitPage));
  routes.page(`${unit}/edit`, CHANGES_STOCK, ofUnit(editUnitPage));
  routes.action(`${unit}/edit`, CHANGES_STOCK, ofUnit(saveUnit));
  routes.action(`${unit}/status`, CHANGES_STOCK, ofUnit(changeStatus));
  routes.page(`${unit}/confirm`, CHANGES_STOCK, ofUnit(confirmStatus));
  routes.action(`${unit}/move`, CHANGES_STOCK, ofUnit(moveUnit));
  routes.action(`${unit}/photos/:side/remove`, CHANGES_STOCK, ofUnit(removePhoto));
  mountPhotoBytes(routes, deps);
  await mountPhotoUpload(routes, deps);
};

async function removePhoto(
  { write }: ConsoleDeps,
  visit: Visit,
  unitId: string,
): Promise<ConsoleAnswer> {
  const side = parseSide(visit.params['side']);
  if (side === null) return NOT_FOUND;
  const result = await write(
    visit.shop.id,
    async (tx) => await removeUnitPhoto(tx, visit.shop.id, unitId, side, visit.now),
  );
  if (result.kind === 'not_found') return NOT_FOUND;
  const flash = result.kind === 'removed' ? 'photo_removed' : 'unchanged';
  return goTo(visit.path(`/stock/${unitId}`), flash);
}
