import type { Values } from '../base/object-fields.ts';
import { Columns, columnsOf } from '../database/columns.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { LOCATION_FIELDS } from './place-field.ts';
import { PLACE_INSTANTS, type PlaceRow, type ShownPlace, showPlace } from './place-row.ts';

export interface LocationRow extends Values<typeof LOCATION_FIELDS>, PlaceRow {}

export type Location = ShownPlace<LocationRow>;

export const LOCATION_COLUMNS = new Columns<Omit<LocationRow, 'id' | 'seq'>>({
  ...columnsOf(LOCATION_FIELDS),
  ...PLACE_INSTANTS,
});

export const selectLocationsOfSite = statement<LocationRow>(
  'select_locations_of_site',
  `select location_id as id, ${LOCATION_COLUMNS.select()}, seq
  from location where shop_id = $1 and site_id = $2 order by code, location_id`,
);

// `for update` waits for concurrent writes of units into the location, which hold a key share lock
// on its row.
export const lockLocationRow = statement<LocationRow>(
  'lock_location_row',
  `select location_id as id, ${LOCATION_COLUMNS.select()}, seq
  from location where shop_id = $1 and location_id = $2 for update`,
);

/** Lists the locations of a site by code. The caller must have locked the site. */
export async function listLocationsOfSite(
  db: Queryable,
  shopId: string,
  siteId: string,
): Promise<Location[]> {
  const rows = await db.query(selectLocationsOfSite, [shopId, siteId]);
  return rows.map(showPlace);
}

export async function lockLocation(
  tx: Transaction,
  shopId: string,
  id: string,
): Promise<LocationRow | undefined> {
  return await tx.one(lockLocationRow, [shopId, id]);
}
