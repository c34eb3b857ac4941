import { newId } from '../../base/secrets.ts';
import { LOCATION_KINDS, putLocation } from '../../inventory/location.ts';
import { listLocationsOfSite, lockLocation } from '../../inventory/location-row.ts';
import { lockSites } from '../../inventory/site.ts';
import { findShownSite } from '../../inventory/site-list.ts';
import { type ConsoleAnswer, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { answerForm, type Form, showForm } from '../parts/form/form.ts';
import type { Visit } from '../visit.ts';
import { locationFields, type LocationValues } from './place-fields.ts';
import { savedPlace } from './saved-place.ts';
import { placeMessages } from './messages.ts';

const NEW_LOCATION: LocationValues = { name: '', code: '', kind: 'shelf', isActive: true };

/** Which location; null for a new one. */
export interface LocationAddress {
  readonly siteId: string;
  readonly locationId: string | null;
}

export async function locationFormPage(
  deps: ConsoleDeps,
  visit: Visit,
  address: LocationAddress,
): Promise<ConsoleAnswer> {
  const location = await findValues(deps, visit, address);
  return location === undefined
    ? NOT_FOUND
    : await showForm(visit, formOf(visit, address), location);
}

/** Creates or changes a location. */
export async function saveLocation(
  deps: ConsoleDeps,
  visit: Visit,
  address: LocationAddress,
): Promise<ConsoleAnswer> {
  if ((await findValues(deps, visit, address)) === undefined) return NOT_FOUND;
  const { shop, now } = visit;
  const { siteId, locationId } = address;
  return await answerForm(visit, formOf(visit, address), async (edit) =>
    deps.write(shop.id, async (tx) => {
      const id = locationId ?? newId();
      if (locationId !== null) {
        // Sites before locations: the lock order used everywhere.
        await lockSites(tx, shop.id, [siteId]);
        const row = await lockLocation(tx, shop.id, locationId);
        if (row?.siteId !== siteId) return NOT_FOUND;
        const standing = valuesOf(row);
        if (edit.isOvertaken(standing)) return { kind: 'overtaken', now: standing };
      }
      const change = { siteId, ...(locationId === null ? edit.values : edit.change) };
      return savedPlace(
        visit,
        siteId,
        'location_added',
        await putLocation(tx, shop.id, id, change, now),
      );
    }),
  );
}

/**
 * The initial values of the form; undefined when the shop has no such site, or the site no such
 * location.
 */
async function findValues(
  { db }: ConsoleDeps,
  { shop }: Visit,
  { siteId, locationId }: LocationAddress,
): Promise<LocationValues | undefined> {
  if ((await findShownSite(db, shop.id, siteId)) === undefined) return undefined;
  if (locationId === null) return NEW_LOCATION;
  const locations = await listLocationsOfSite(db, shop.id, siteId);
  const location = locations.find(({ id }) => id === locationId);
  return location === undefined ? undefined : valuesOf(location);
}

function valuesOf(
  location: Omit<LocationValues, 'kind'> & { readonly kind: string },
): LocationValues {
  const { name, code, isActive } = location;
  const kind = LOCATION_KINDS.find((each) => each === location.kind) ?? 'other';
  return { name, code, kind, isActive };
}

function formOf(visit: Visit, { siteId, locationId }: LocationAddress): Form<LocationValues> {
  const messages = placeMessages[visit.language];
  const href = visit.path(`/places/${siteId}`);
  return {
    page: {
      title: locationId === null ? messages.addLocation : messages.editLocation,
      section: 'places',
      back: { href, label: messages.site },
    },
    action: `${href}/locations/${locationId ?? 'new'}`,
    fields: locationFields(visit.language),
  };
}
