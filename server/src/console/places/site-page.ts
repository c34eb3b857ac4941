import { html } from 'hono/html';
import { listLocationsOfSite, type Location } from '../../inventory/location-row.ts';
import {
  COUNTED_LOCATIONS_MAX,
  countInLocations,
  LOCATION_UNITS_MAX,
} from '../../inventory/places.ts';
import { findShownSite, type ShownSite } from '../../inventory/site-list.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { facts } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import { listPath } from '../stock/list-filter.ts';
import type { Visit } from '../visit.ts';
import { PLACE_WORDS } from './place-words.ts';
import { activeBadge, siteKindName } from './site-list.ts';

/** Shows a site with its locations, a page of them at a time, each with the units in it. */
export async function sitePage(
  { db }: ConsoleDeps,
  visit: Visit,
  siteId: string,
): Promise<ConsoleAnswer> {
  const { shop, language } = visit;
  const [site, locations] = await Promise.all([
    findShownSite(db, shop.id, siteId),
    listLocationsOfSite(db, shop.id, siteId),
  ]);
  if (site === undefined) return NOT_FOUND;
  const words = PLACE_WORDS[language];
  // A site has at most 2,000 locations: what is behind the last one shown is found by its id.
  const after = locations.findIndex(({ id }) => id === visit.query['after']);
  const shown = locations.slice(after + 1, after + 1 + COUNTED_LOCATIONS_MAX);
  const hasMore = after + 1 + shown.length < locations.length;
  const units = await countInLocations(
    db,
    shop.id,
    shown.map(({ id }) => id),
  );
  const path = visit.path(`/places/${site.id}`);
  return showPage({
    title: site.name,
    section: 'places',
    back: { href: visit.path('/places'), label: words.title },
    ...(visit.may('inventory.write')
      ? { tools: linkButton({ href: `${path}/edit`, label: words.edit }) }
      : {}),
    content: html`${renderSite(visit, site)}
      <section class="sheet" aria-labelledby="locations">
        <h2 id="locations">${words.locations}</h2>
        ${
          shown.length === 0
            ? html`<p class="soft">${words.noLocations}</p>`
            : renderLocations(visit, shown, units)
        }
        ${pager(language, {
          firstHref: after === -1 ? null : path,
          nextHref: hasMore ? withQuery(path, { after: shown.at(-1)?.id }) : null,
        })}
        ${
          visit.may('inventory.write')
            ? html`<div class="actions">
                ${linkButton({
                  href: `${path}/locations/new`,
                  label: words.addLocation,
                  icon: 'plus',
                })}
              </div>`
            : ''
        }
      </section>`,
  });
}

function renderSite(visit: Visit, site: ShownSite): Markup {
  const words = PLACE_WORDS[visit.language];
  return html`<section class="sheet" aria-labelledby="details">
    <h2 id="details">${words.details}</h2>
    ${facts([
      [words.code, site.code],
      [words.kind, siteKindName(site, visit.language)],
      [words.country, site.countryCode],
      [words.timezone, site.timezone],
      [words.state, activeBadge(site.isActive, visit.language)],
    ])}
    <p><a href="${listPath(visit, { siteId: site.id })}">${words.showUnits}</a></p>
  </section>`;
}

function renderLocations(
  visit: Visit,
  locations: readonly Location[],
  units: ReadonlyMap<string, number>,
): Markup {
  const { language, format } = visit;
  const words = PLACE_WORDS[language];
  const mayWrite = visit.may('inventory.write');
  const countOf = (id: string): string => {
    const count = units.get(id) ?? 0;
    const text = format.number(count);
    return count >= LOCATION_UNITS_MAX ? words.orMore(text) : text;
  };
  return table({
    caption: words.locations,
    isCaptionUnseen: true,
    columns: [
      { label: words.location },
      { label: words.kind },
      { label: words.state },
      { label: words.inStock, isNumber: true },
      ...(mayWrite ? [{ label: words.edit, isLabelUnseen: true }] : []),
    ],
    rows: locations.map((location) => [
      html`<a href="${listPath(visit, { locationId: location.id })}">${location.name}</a>
        <span class="item-details">${location.code}</span>`,
      locationKindName(location, language),
      activeBadge(location.isActive, language),
      countOf(location.id),
      ...(mayWrite
        ? [
            linkButton({
              href: visit.path(`/places/${location.siteId}/locations/${location.id}`),
              label: words.edit,
              about: location.name,
            }),
          ]
        : []),
    ]),
  });
}

function locationKindName({ kind }: Location, language: Language): string {
  const kinds: Readonly<Record<string, string>> = PLACE_WORDS[language].locationKinds;
  return kinds[kind] ?? kind;
}
