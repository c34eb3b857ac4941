import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { IN_STOCK_STATUSES } from './unit-status.ts';

/** The maximum number of places that a form field offers as options. */
export const PLACES_MAX = 5_000;
/** The maximum number of units that are counted in a location. Each reads one index entry. */
export const LOCATION_UNITS_MAX = 1_000;
/** One query for this many locations of `LOCATION_UNITS_MAX` units each takes about 30 ms. */
export const COUNTED_LOCATIONS_MAX = 50;

export interface Place {
  readonly siteId: string;
  readonly siteCode: string;
  readonly siteName: string;
  readonly isSiteActive: boolean;
  /** This field and those below are null in the row of the site itself. */
  readonly locationId: string | null;
  readonly locationCode: string | null;
  readonly locationName: string | null;
  readonly isLocationActive: boolean | null;
}

export const selectPlaces = statement<Place>(
  'select_places',
  `select s.site_id as "siteId", s.code as "siteCode", s.name as "siteName",
    s.is_active as "isSiteActive", null::uuid as "locationId", null as "locationCode",
    null as "locationName", null::boolean as "isLocationActive"
  from site s where s.shop_id = $1
  union all
  select s.site_id, s.code, s.name, s.is_active, l.location_id, l.code, l.name, l.is_active
  from site s join location l on l.shop_id = s.shop_id and l.site_id = s.site_id
  where s.shop_id = $1
  order by "siteCode", "siteId", "locationCode" nulls first, "locationId" limit $2`,
);

export const countLocationsBySite = statement<{ siteId: string; locations: number }>(
  'count_locations_by_site',
  `select site_id as "siteId", count(*)::int as locations from location
  where shop_id = $1 group by site_id`,
);

export const countUnitsInLocations = statement<{ locationId: string; units: number }>(
  'count_units_in_locations',
  `select asked.id as "locationId", counted.units
  from unnest($2::uuid[]) as asked (id), lateral (
    select count(*)::int as units from (
      select from unit
      where shop_id = $1 and location_id = asked.id and status = any($3::text[]) limit $4
    ) as found
  ) as counted`,
);

/** Lists the sites by code, each followed by its locations, including inactive ones. */
export async function listPlaces(db: Queryable, shopId: string): Promise<Place[]> {
  return await db.query(selectPlaces, [shopId, PLACES_MAX]);
}

/** Returns the number of locations by site id. Sites without locations are missing. */
export async function readLocationCounts(
  db: Queryable,
  shopId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query(countLocationsBySite, [shopId]);
  return new Map(rows.map(({ siteId, locations }) => [siteId, locations]));
}

/** Counts the units in stock by location id. `LOCATION_UNITS_MAX` means that many or more. */
export async function countInLocations(
  db: Queryable,
  shopId: string,
  locationIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (locationIds.length > COUNTED_LOCATIONS_MAX) throw new Error('too many locations to count');
  const rows = await db.query(countUnitsInLocations, [
    shopId,
    locationIds,
    [...IN_STOCK_STATUSES],
    LOCATION_UNITS_MAX,
  ]);
  return new Map(rows.map(({ locationId, units }) => [locationId, units]));
}
