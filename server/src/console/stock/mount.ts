import { isUuid } from '../../base/field.ts';
import { removeUnitPhoto } from '../../inventory/photo.ts';
import { parseSide } from '../../inventory/unit-photo.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { CHANGES_STOCK, type MountSection } from '../section.ts';
import type { Visit } from '../visit.ts';
import { changeSeveral } from './bulk.ts';
import { StockSearch } from './find-stock.ts';
import { readFilter } from './list-filter.ts';
import { showStock } from './show-stock.ts';
import { mountPhotoBytes } from './photo-bytes-route.ts';
import { mountPhotoUpload } from './photo-upload.ts';
import { receive, receivePage } from './receive.ts';
import { editUnitPage, saveUnit } from './unit-edit.ts';
import { unitPage } from './unit-page.ts';
import { changeStatus, confirmPage, moveUnit } from './unit-status-action.ts';

/** Mounts the pages of stock: the list, a unit, what is done with it, its photos, and the form that takes units in. */
export const mountStock: MountSection = async (routes, deps) => {
  const search = new StockSearch(deps);
  routes.page('/stock', 'inventory.read', async (visit) =>
    showStock(deps, search, visit, readFilter(visit.query)),
  );
  routes.action('/stock/bulk', CHANGES_STOCK, async (visit) => changeSeveral(deps, search, visit));
  routes.page('/stock/receive', CHANGES_STOCK, async (visit) => receivePage(deps, visit));
  routes.action('/stock/receive', CHANGES_STOCK, async (visit) => receive(deps, visit));
  routes.page('/stock/:id', 'inventory.read', ofUnit(deps, unitPage));
  routes.page('/stock/:id/edit', CHANGES_STOCK, ofUnit(deps, editUnitPage));
  routes.action('/stock/:id/edit', CHANGES_STOCK, ofUnit(deps, saveUnit));
  routes.action('/stock/:id/status', CHANGES_STOCK, ofUnit(deps, changeStatus));
  routes.page('/stock/:id/confirm', CHANGES_STOCK, ofUnit(deps, confirmPage));
  routes.action('/stock/:id/move', CHANGES_STOCK, ofUnit(deps, moveUnit));
  routes.action('/stock/:id/photos/:side/remove', CHANGES_STOCK, ofUnit(deps, removePhoto));
  mountPhotoBytes(routes, deps);
  await mountPhotoUpload(routes, deps);
};

type UnitHandler = (deps: ConsoleDeps, visit: Visit, unitId: string) => Promise<ConsoleAnswer>;

/** A handler of one unit; an id that is no uuid is nobody's. */
function ofUnit(deps: ConsoleDeps, handle: UnitHandler): (visit: Visit) => Promise<ConsoleAnswer> {
  return async (visit) => {
    const { id } = visit.params;
    return isUuid(id) ? await handle(deps, visit, id.toLowerCase()) : NOT_FOUND;
  };
}

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
