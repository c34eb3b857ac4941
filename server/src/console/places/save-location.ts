import { newId } from '../../base/secrets.ts';
import { LOCATION_KINDS, putLocation } from '../../inventory/location.ts';
import { listLocationsOfSite, lockLocation } from '../../inventory/location-row.ts';
import { lockSites } from '../../inventory/site.ts';
import { findShownSite } from '../../inventory/site-list.ts';
import { type ConsoleResponse, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { handleForm, type Form, showForm } from '../parts/form/form.ts';
import type { RequestContext } from '../request-context.ts';
import { locationFields, type LocationValues } from './place-fields.ts';
import { toSaveResult } from './save-result.ts';
import { placeMessages } from './messages.ts';

const NEW_LOCATION: LocationValues = { name: '', code: '', kind: 'shelf', isActive: true };

/** The path of a location. `locationId` is null for a new location. */
export interface LocationAddress {
  readonly siteId: string;
  readonly locationId: string | null;
}

export async function locationFormPage(
  deps: ConsoleDeps,
  context: RequestContext,
  address: LocationAddress,
): Promise<ConsoleResponse> {
  const location = await findValues(deps, context, address);
  return location === undefined
    ? NOT_FOUND
    : await showForm(context, formOf(context, address), location);
}

export async function saveLocation(
  deps: ConsoleDeps,
  context: RequestContext,
  address: LocationAddress,
): Promise<ConsoleResponse> {
  if ((await findValues(deps, context, address)) === undefined) return NOT_FOUND;
  const { shop, now } = context;
  const { siteId, locationId } = address;
  return await handleForm(context, formOf(context, address), async (edit) =>
    deps.write(shop.id, async (tx) => {
      const id = locationId ?? newId();
      if (locationId !== null) {
        // Lock sites before locations, which is the lock order everywhere.
        await lockSites(tx, shop.id, [siteId]);
        const row = await lockLocation(tx, shop.id, locationId);
        if (row?.siteId !== siteId) return NOT_FOUND;
        const current = valuesOf(row);
        if (edit.hasConflict(current)) return { kind: 'overtaken', now: current };
      }
      const change = { siteId, ...(locationId === null ? edit.values : edit.change) };
      return toSaveResult(
        context,
        siteId,
        'location_added',
        await putLocation(tx, shop.id, id, change, now),
      );
    }),
  );
}

/** Returns the initial values of the form, or undefined if the site or location does not exist. */
async function findValues(
  { db }: ConsoleDeps,
  { shop }: RequestContext,
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

function formOf(
  context: RequestContext,
  { siteId, locationId }: LocationAddress,
): Form<LocationValues> {
  const messages = placeMessages[context.language];
  const href = context.shopPath(`/places/${siteId}`);
  return {
    page: {
      title: locationId === null ? messages.addLocation : messages.editLocation,
      section: 'places',
      back: { href, label: messages.site },
    },
    action: `${href}/locations/${locationId ?? 'new'}`,
    fields: locationFields(context.language),
  };
}
