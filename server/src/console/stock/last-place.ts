import { listPlaces } from '../../inventory/places.ts';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import { findLastReceivedUnitId } from '../../receipts/list-receipts.ts';
import type { ConsoleDeps } from '../deps.ts';
import { startOfDay } from '../local-instant.ts';
import type { RequestContext } from '../request-context.ts';
import { type ChosenPlace, placeChoices, placeValue } from './place-choice.ts';

/**
 * Returns the place of what the member received last today, because a clerk puts one delivery in
 * one place. Returns null if there is none, or if the place is no longer active.
 */
export async function findLastPlace(
  { db }: Pick<ConsoleDeps, 'db'>,
  { shop, account, now, format }: RequestContext,
): Promise<ChosenPlace | null> {
  const since = startOfDay(now, format.zone);
  const unitId = await findLastReceivedUnitId(db, shop.id, account.id, since);
  if (unitId === undefined) return null;
  const [unit, places] = await Promise.all([
    findStockUnit(db, shop.id, unitId, 1),
    listPlaces(db, shop.id),
  ]);
  if (unit === undefined) return null;
  const place = { siteId: unit.site.id, locationId: unit.location?.id ?? null };
  const isActive = placeChoices(places, null).some(({ value }) => value === placeValue(place));
  return isActive ? place : null;
}
