import { isUuid } from '../../base/field.ts';
import type { Place } from '../../inventory/places.ts';
import type { StockPlace } from '../../inventory/stock-list.ts';
import type { Choice } from '../parts/field.ts';

/** Where a unit is to be: a site, or a location of it. */
export interface ChosenPlace {
  readonly siteId: string;
  readonly locationId: string | null;
}

/** The value of a choice: the site's id, and the location's behind a slash. */
export function placeValue({ siteId, locationId }: ChosenPlace): string {
  return locationId === null ? siteId : `${siteId}/${locationId}`;
}

/** What a form sent, or null when it is no place by its form. */
export function parsePlace(value: string | undefined): ChosenPlace | null {
  const [siteId, locationId, ...rest] = (value ?? '').split('/');
  if (!isUuid(siteId) || rest.length > 0) return null;
  if (locationId === undefined) return { siteId: siteId.toLowerCase(), locationId: null };
  if (!isUuid(locationId)) return null;
  return { siteId: siteId.toLowerCase(), locationId: locationId.toLowerCase() };
}

/** What a form offers: places that are used, and the one that is chosen already. */
export function placeChoices(places: readonly Place[], chosen: string | null): readonly Choice[] {
  return places
    .filter((place) => {
      const isActive = place.isSiteActive && place.isLocationActive !== false;
      return isActive || placeValue(place) === chosen;
    })
    .map((place) => ({ value: placeValue(place), label: placeName(place) }));
}

/** A place in one line: the site, and the location with its code, which its label on the shelf shows. */
export function placeText(site: StockPlace, location: StockPlace | null): string {
  return location === null ? site.name : `${site.name} › ${codeAndName(location)}`;
}

/** A place of the list of all, in one line. */
export function placeName({ siteName, locationCode, locationName }: Place): string {
  if (locationCode === null || locationName === null) return siteName;
  return `${siteName} › ${codeAndName({ code: locationCode, name: locationName })}`;
}

function codeAndName({ code, name }: { readonly code: string; readonly name: string }): string {
  return name.includes(code) ? name : `${code} ${name}`;
}
