import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** A storage location as every API shows it (specification 2.4). */
export interface Location {
  readonly id: string;
  readonly siteId: string;
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A location's row, without its record. */
export interface LocationRow {
  readonly id: string;
  readonly siteId: string;
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly seq: number;
}

export const readLocationsOfSite = statement<LocationRow>(
  'read_locations_of_site',
  `select location_id as id, site_id as "siteId", code, name, kind, is_active as "isActive",
    created_at as "createdAt", updated_at as "updatedAt", seq
  from location where shop_id = $1 and site_id = $2 order by code, location_id`,
);

// The whole row is locked: a unit that is being written into the location holds its key meanwhile.
export const lockLocationRow = statement<LocationRow>(
  'lock_location_row',
  `select location_id as id, site_id as "siteId", code, name, kind, is_active as "isActive",
    created_at as "createdAt", updated_at as "updatedAt", seq
  from location where shop_id = $1 and location_id = $2 for update`,
);

/** The locations of a site in the order of their codes. Read under the lock of the site. */
export async function listLocationsOfSite(
  db: Queryable,
  shopId: string,
  siteId: string,
): Promise<Location[]> {
  const rows = await db.query(readLocationsOfSite, [shopId, siteId]);
  return rows.map(toLocation);
}

/** Locks a location against writers of it and of units in it. */
export async function lockLocation(
  tx: Transaction,
  shopId: string,
  id: string,
): Promise<LocationRow | undefined> {
  return await tx.one(lockLocationRow, [shopId, id]);
}

/** The location as it stands on the wire. */
export function toLocation(row: LocationRow): Location {
  return {
    id: row.id,
    siteId: row.siteId,
    code: row.code,
    name: row.name,
    kind: row.kind,
    isActive: row.isActive,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
