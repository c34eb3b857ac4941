import { html } from 'hono/html';
import { listLocationsOfSite, type Location } from '../../inventory/location-row.ts';
import {
  COUNTED_LOCATIONS_MAX,
  countInLocations,
  LOCATION_UNITS_MAX,
} from '../../inventory/places.ts';
import { findShownSite, type ShownSite } from '../../inventory/site-list.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { type ConsoleResponse, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { pager } from '../parts/list.ts';
import { descriptionList } from '../parts/notes.ts';
import { stockListPath } from '../parts/stock-filter.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { activeBadge, siteKindName } from './site-list.ts';
import { placeMessages } from './messages.ts';

/** Shows a site with a page of its locations and the units in each. */
export async function sitePage(
  { db }: ConsoleDeps,
  context: RequestContext,
  siteId: string,
): Promise<ConsoleResponse> {
  const { shop, language } = context;
  const [site, locations] = await Promise.all([
    findShownSite(db, shop.id, siteId),
    listLocationsOfSite(db, shop.id, siteId),
  ]);
  if (site === undefined) return NOT_FOUND;
  const messages = placeMessages[language];
  // A site has at most 2,000 locations, so the page is cut from the list of all of them.
  const after = locations.findIndex(({ id }) => id === context.query['after']);
  const shown = locations.slice(after + 1, after + 1 + COUNTED_LOCATIONS_MAX);
  const hasMore = after + 1 + shown.length < locations.length;
  const units = await countInLocations(
    db,
    shop.id,
    shown.map(({ id }) => id),
  );
  const path = context.shopPath(`/places/${site.id}`);
  return showPage({
    title: site.name,
    section: 'places',
    back: { href: context.shopPath('/places'), label: messages.title },
    headerActions: context.can('inventory.write')
      ? linkButton({ href: `${path}/edit`, label: messages.edit })
      : undefined,
    content: html`${renderSite(context, site)}
      <section class="sheet" aria-labelledby="locations">
        <h2 id="locations">${messages.locations}</h2>
        ${renderLocations(context, shown, units)}
        ${pager(language, {
          path,
          name: 'after',
          here: locations[after]?.id ?? null,
          next: hasMore ? shown.at(-1)?.id : null,
        })}
        ${
          context.can('inventory.write')
            ? html`<div class="actions">
                ${linkButton({
                  href: `${path}/locations/new`,
                  label: messages.addLocation,
                  icon: 'plus',
                })}
              </div>`
            : ''
        }
      </section>`,
  });
}

function renderSite(context: RequestContext, site: ShownSite): Markup {
  const messages = placeMessages[context.language];
  return html`<section class="sheet" aria-labelledby="details">
    <h2 id="details">${messages.details}</h2>
    ${descriptionList([
      [messages.code, site.code],
      [messages.kind, siteKindName(site, context.language)],
      [messages.country, site.countryCode],
      [messages.timezone, site.timezone],
      [messages.state, activeBadge(site.isActive, context.language)],
    ])}
    <p><a href="${stockListPath(context, { siteId: site.id })}">${messages.showUnits}</a></p>
  </section>`;
}

function renderLocations(
  context: RequestContext,
  locations: readonly Location[],
  units: ReadonlyMap<string, number>,
): Markup | '' {
  const { language, format } = context;
  const messages = placeMessages[language];
  const countOf = (id: string): string => {
    const count = units.get(id) ?? 0;
    const text = format.number(count);
    return count >= LOCATION_UNITS_MAX ? messages.orMore(text) : text;
  };
  return table({
    caption: messages.locations,
    rows: locations,
    columns: [
      [
        messages.location,
        ({ id, name, code }) =>
          html`<a href="${stockListPath(context, { locationId: id })}">${name}</a>
            <span class="item-details">${code}</span>`,
      ],
      [messages.kind, (location) => locationKindName(location, language)],
      [messages.state, ({ isActive }) => activeBadge(isActive, language)],
      [messages.inStock, ({ id }) => countOf(id), 'number'],
      context.can('inventory.write')
        ? [
            messages.edit,
            ({ id, siteId, name }) =>
              linkButton({
                href: context.shopPath(`/places/${siteId}/locations/${id}`),
                label: messages.edit,
                about: name,
              }),
            'buttons',
          ]
        : null,
    ],
    empty: html`<p class="soft">${messages.noLocations}</p>`,
  });
}

function locationKindName({ kind }: Location, language: Language): string {
  const kinds: Readonly<Record<string, string>> = placeMessages[language].locationKinds;
  return kinds[kind] ?? kind;
}
