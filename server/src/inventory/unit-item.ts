import {
  readCards,
  readCatalogPosition,
  readGrades,
  readProducts,
  type QueryRunner,
} from '../catalog/read-entries.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { UnitRow } from './unit-row.ts';

/** What a batch of units refers to. Each catalog entry is rendered once as JSON. */
export interface UnitReferences {
  readonly siteIds: ReadonlySet<string>;
  readonly siteOfLocation: ReadonlyMap<string, string>;
  readonly cards: ReadonlyMap<string, string>;
  readonly grades: ReadonlyMap<string, string>;
  readonly products: ReadonlyMap<string, string>;
  /** The catalog position at which the entries were read. */
  readonly catalogPosition: number;
}

type UnitReferenceIds = Pick<UnitRow, 'siteId' | 'locationId' | 'cardId' | 'gradeId' | 'productId'>;

/** `itemText` is a product, or a card with its grade (null if not graded yet), as JSON. */
export type ResolvedItem =
  | { readonly kind: 'item'; readonly itemText: string }
  | { readonly kind: 'unknown_reference'; readonly detail: string };

export const selectSiteIds = statement<{ id: string }>(
  'select_site_ids',
  `select site_id as id from site where shop_id = $1 and site_id = any($2::uuid[])`,
);

// The key share lock keeps the location from moving to another site until the transaction ends.
export const lockLocationSites = statement<{ id: string; siteId: string }>(
  'share_location_sites',
  `select location_id as id, site_id as "siteId" from location
  where shop_id = $1 and location_id = any($2::uuid[]) order by location_id for key share`,
);

/** Reads all references in one round trip. The caller must hold the lock on the catalog. */
export async function readUnitReferences(
  tx: Transaction,
  shopId: string,
  units: readonly UnitReferenceIds[],
): Promise<UnitReferences> {
  const siteIds = idsOf(units, (unit) => unit.siteId);
  const locationIds = idsOf(units, (unit) => unit.locationId);
  const reads: QueryRunner = {
    query: async (read, values) => await tx.queryPipelined(read, values),
  };
  const [sites, locations, cards, grades, products, catalogPosition] = await Promise.all([
    reads.query(selectSiteIds, [shopId, siteIds]),
    locationIds.length === 0 ? [] : reads.query(lockLocationSites, [shopId, locationIds]),
    readCards(
      reads,
      idsOf(units, (unit) => unit.cardId),
    ),
    readGrades(
      reads,
      shopId,
      idsOf(units, (unit) => unit.gradeId),
    ),
    readProducts(
      reads,
      idsOf(units, (unit) => unit.productId),
    ),
    readCatalogPosition(reads),
  ]);
  return {
    siteIds: new Set(sites.map((site) => site.id)),
    siteOfLocation: new Map(locations.map((location) => [location.id, location.siteId])),
    cards: rendered(cards),
    grades: rendered(grades),
    products: rendered(products),
    catalogPosition,
  };
}

/** Returns the unit's item, or names the first reference that does not exist. */
export function resolveItem(unit: UnitReferenceIds, references: UnitReferences): ResolvedItem {
  if (!references.siteIds.has(unit.siteId)) return unknown('siteId', 'site', unit.siteId);
  if (unit.locationId !== null) {
    const siteId = references.siteOfLocation.get(unit.locationId);
    if (siteId === undefined) return unknown('locationId', 'location', unit.locationId);
    if (siteId !== unit.siteId) {
      const detail = `locationId: location ${unit.locationId} is not at site ${unit.siteId}`;
      return { kind: 'unknown_reference', detail };
    }
  }
  if (unit.productId !== null) {
    const product = references.products.get(unit.productId);
    if (product === undefined) return unknown('item.productId', 'product', unit.productId);
    return { kind: 'item', itemText: `{"kind":"product","product":${product}}` };
  }
  const card = unit.cardId === null ? undefined : references.cards.get(unit.cardId);
  if (card === undefined) return unknown('item.cardId', 'card', unit.cardId ?? '');
  const grade = unit.gradeId === null ? 'null' : references.grades.get(unit.gradeId);
  if (grade === undefined) return unknown('item.gradeId', 'grade', unit.gradeId ?? '');
  return { kind: 'item', itemText: `{"kind":"card","card":${card},"grade":${grade}}` };
}

function rendered(entries: ReadonlyMap<string, object>): Map<string, string> {
  return new Map([...entries].map(([id, entry]) => [id, JSON.stringify(entry)]));
}

function unknown(member: string, noun: string, id: string): ResolvedItem {
  return { kind: 'unknown_reference', detail: `${member}: there is no ${noun} ${id}` };
}

function idsOf<T>(units: readonly T[], idOf: (unit: T) => string | null): string[] {
  return [...new Set(units.map(idOf).filter((id) => id !== null))];
}
