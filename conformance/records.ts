import type { Context } from './context.ts';
import { expectBody, expectShape, jsonOf } from './expect.ts';
import { card, grade, product, site, location } from './resources.ts';
import {
  array,
  boolean,
  byMember,
  currency,
  dateTime,
  integer,
  object,
  oneOf,
  orNull,
  type ShapeValue,
  string,
  nonEmptyString,
  uuid,
} from './shape.ts';

// Records as decision 2 defines them. The specification does not show their form (2.6).

/** A photo of a unit. */
const photo = object({
  side: nonEmptyString,
  contentType: oneOf('image/jpeg', 'image/webp'),
  width: integer(1),
  height: integer(1),
  etag: nonEmptyString,
  updatedAt: dateTime,
});

/** A stock unit. */
const unit = object({
  id: uuid,
  status: nonEmptyString,
  siteId: uuid,
  locationId: orNull(uuid),
  item: byMember('kind', {
    card: object({ kind: oneOf('card'), card, grade: orNull(grade) }),
    product: object({ kind: oneOf('product'), product }),
  }),
  certNumber: orNull(string),
  serialNumber: orNull(string),
  ownership: oneOf('owned', 'consigned'),
  priceMinor: orNull(integer(0)),
  costMinor: orNull(integer(0)),
  currency,
  photos: array(photo),
  acquiredAt: orNull(dateTime),
  statusChangedAt: dateTime,
  createdAt: dateTime,
  updatedAt: dateTime,
});

/** A change record. */
const record = byMember('kind', {
  site: object({ kind: oneOf('site'), id: uuid, changedAt: dateTime, data: site }),
  location: object({ kind: oneOf('location'), id: uuid, changedAt: dateTime, data: location }),
  unit: object({ kind: oneOf('unit'), id: uuid, changedAt: dateTime, data: unit }),
});

/** The envelope of a page, from decision 2. */
const page = object({ changes: array(record), nextCursor: nonEmptyString, hasMore: boolean });

/** The maximum number of pages in a full read. */
const PAGES_MAX = 500;

/** Returns all records of the shop after checking their exact shape. */
export async function readChanges(context: Context): Promise<readonly ShapeValue<typeof record>[]> {
  const app = await context.sharedConnection();
  const records: ShapeValue<typeof record>[] = [];
  let cursor: string | null = null;
  for (let count = 0; count < PAGES_MAX; count++) {
    const query = { [context.target.names.cursorParameter]: cursor };
    const response = await app.get('/inventory/changes', query);
    expectBody(response, 200, page);
    const { changes, nextCursor, hasMore } = expectShape(
      response.request,
      jsonOf(response),
      page,
      true,
    );
    records.push(...changes);
    if (!hasMore) break;
    cursor = nextCursor;
  }
  return records;
}
