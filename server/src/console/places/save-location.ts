import { newId } from '../../base/secrets.ts';
import type { Transaction } from '../../database/database.ts';
import { putLocation, type PutLocationResult } from '../../inventory/location.ts';
import { listLocationsOfSite, lockLocation } from '../../inventory/location-row.ts';
import { lockSites } from '../../inventory/site.ts';
import { findShownSite } from '../../inventory/site-list.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import {
  type PlaceForm,
  type PlaceTexts,
  type ReadLocation,
  readLocation,
  renderPlaceForm,
  textsOfForm,
} from './place-form.ts';
import { placeMessages } from './messages.ts';

const NOWHERE = { countryCode: '', timezone: '' };
const NEW_LOCATION: PlaceTexts = { code: '', name: '', kind: 'shelf', ...NOWHERE, isActive: true };

/** Which location: null is a new one. */
export interface LocationAddress {
  readonly siteId: string;
  readonly locationId: string | null;
}

type SavedLocation =
  | PutLocationResult
  | { readonly kind: 'not_found' }
  | { readonly kind: 'stale'; readonly now: PlaceTexts; readonly seen: string };

/** The form of a location, or of a new one. */
export async function locationFormPage(
  { db }: ConsoleDeps,
  visit: Visit,
  address: LocationAddress,
): Promise<ConsoleAnswer> {
  const { siteId, locationId } = address;
  const site = await findShownSite(db, visit.shop.id, siteId);
  if (site === undefined) return NOT_FOUND;
  if (locationId === null) return showForm(visit, address, { texts: NEW_LOCATION });
  const locations = await listLocationsOfSite(db, visit.shop.id, siteId);
  const location = locations.find(({ id }) => id === locationId);
  if (location === undefined) return NOT_FOUND;
  return showForm(visit, address, {
    texts: { ...location, ...NOWHERE },
    seen: location.updatedAt,
  });
}

/** Makes a location, or changes one that nobody has changed since the form was shown. */
export async function saveLocation(
  deps: ConsoleDeps,
  visit: Visit,
  address: LocationAddress,
): Promise<ConsoleAnswer> {
  const texts = textsOfForm(visit.form);
  const seen = visit.form.get('seen') ?? '';
  const { location, faults } = readLocation(texts, visit.language);
  if (!(await isThere(deps, visit, address))) return NOT_FOUND;
  if (location === null) return showForm(visit, address, { texts, seen, faults });
  const result = await deps.write(
    visit.shop.id,
    async (tx) => await put(tx, visit, address, { location, seen }),
  );
  const messages = placeMessages[visit.language];
  const path = visit.path(`/places/${address.siteId}`);
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'stale': {
      const stale = [{ field: null, text: messages.stale }];
      return showForm(visit, address, { texts, seen: result.seen, faults: stale, now: result.now });
    }
    case 'conflict':
    case 'unknown_reference':
    case 'incomplete': {
      const detail = result.kind === 'incomplete' ? result.missing.join(', ') : result.detail;
      const refused = [{ field: null, text: messages.conflict(detail) }];
      return showForm(visit, address, { texts, seen, faults: refused });
    }
    case 'created':
      return goTo(path, 'location_added');
    case 'updated':
      return goTo(path, 'saved');
    case 'unchanged':
      return goTo(path, 'unchanged');
  }
}

/** Whether the shop has the site, and the site the location. */
async function isThere(
  { db }: ConsoleDeps,
  { shop }: Visit,
  { siteId, locationId }: LocationAddress,
): Promise<boolean> {
  if ((await findShownSite(db, shop.id, siteId)) === undefined) return false;
  if (locationId === null) return true;
  const locations = await listLocationsOfSite(db, shop.id, siteId);
  return locations.some(({ id }) => id === locationId);
}

async function put(
  tx: Transaction,
  visit: Visit,
  { siteId, locationId }: LocationAddress,
  { location, seen }: { readonly location: ReadLocation; readonly seen: string },
): Promise<SavedLocation> {
  const shopId = visit.shop.id;
  const change = { siteId, ...location };
  if (locationId === null) return await putLocation(tx, shopId, newId(), change, visit.now);
  // Sites before locations: the order of locks everywhere.
  await lockSites(tx, shopId, [siteId]);
  const row = await lockLocation(tx, shopId, locationId);
  if (row?.siteId !== siteId) return { kind: 'not_found' };
  const changedAt = row.updatedAt.toISOString();
  if (changedAt !== seen) return { kind: 'stale', now: { ...row, ...NOWHERE }, seen: changedAt };
  return await putLocation(tx, shopId, locationId, change, visit.now);
}

function showForm(
  visit: Visit,
  { siteId, locationId }: LocationAddress,
  state: Pick<PlaceForm, 'texts'> & {
    readonly seen?: string;
    readonly faults?: readonly FormFault[];
    readonly now?: PlaceTexts;
  },
): ConsoleAnswer {
  const messages = placeMessages[visit.language];
  const { texts, seen = '', faults = [], now = null } = state;
  const path = visit.path(`/places/${siteId}`);
  const action = `${path}/locations/${locationId ?? 'new'}`;
  const form: PlaceForm = { what: 'location', texts, seen, faults, now, action, cancelHref: path };
  return showPage({
    title: locationId === null ? messages.addLocation : messages.editLocation,
    section: 'places',
    status: faults.length === 0 ? 200 : 422,
    back: { href: path, label: messages.site },
    content: renderPlaceForm(visit, form),
  });
}
