import { isUuid } from '../../base/field.ts';
import type { Place } from '../../inventory/places.ts';
import type { StockPlace } from '../../inventory/stock-list.ts';
import type { Choice } from '../parts/field.ts';

/** The place of a unit: a site, or a location in a site. */
export interface ChosenPlace {
  readonly siteId: string;
  readonly locationId: string | null;
}

/** The site's id, then `/` and the location's id if there is one. */
export function placeValue({ siteId, locationId }: ChosenPlace): string {
  return locationId === null ? siteId : `${siteId}/${locationId}`;
}

/** Parses the form value of a place, or returns null if the value is malformed. */
export function parsePlace(value: string | undefined): ChosenPlace | null {
  const [siteId, locationId, ...rest] = (value ?? '').split('/');
  if (!isUuid(siteId) || rest.length > 0) return null;
  if (locationId === undefined) return { siteId: siteId.toLowerCase(), locationId: null };
  if (!isUuid(locationId)) return null;
  return { siteId: siteId.toLowerCase(), locationId: locationId.toLowerCase() };
}

/** Returns the choices of a form: the active places, and the place that is already chosen. */
export function placeChoices(places: readonly Place[], chosen: string | null): readonly Choice[] {
  return places
    .filter((place) => {
      const isActive = place.isSiteActive && place.isLocationActive !== false;
      return isActive || placeValue(place) === chosen;
    })
    .map((place) => ({ value: placeValue(place), label: placeName(place) }));
}

/** Returns a place in one line: the site, then the location with its code. */
export function placeText(site: StockPlace, location: StockPlace | null): string {
  return location === null ? site.name : `${site.name} › ${codeAndName(location)}`;
}

export function placeName({ siteName, locationCode, locationName }: Place): string {
  if (locationCode === null || locationName === null) return siteName;
  return `${siteName} › ${codeAndName({ code: locationCode, name: locationName })}`;
}

function codeAndName({ code, name }: { readonly code: string; readonly name: string }): string {
  return name.includes(code) ? name : `${code} ${name}`;
}
