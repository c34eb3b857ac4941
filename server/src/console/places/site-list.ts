import { html } from 'hono/html';
import { readLocationCounts } from '../../inventory/places.ts';
import { listShownSites } from '../../inventory/site-list.ts';
import type { Site } from '../../inventory/site.ts';
import { readStockCounts } from '../../inventory/stock-figures.ts';
import { IN_STOCK_STATUSES } from '../../inventory/unit-status.ts';
import type { Language } from '../../html/language.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { placeMessages } from './messages.ts';

export async function siteListPage(
  { db }: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { language, format } = context;
  const messages = placeMessages[language];
  const { id } = context.shop;
  const [sites, locations, counts] = await Promise.all([
    listShownSites(db, id),
    readLocationCounts(db, id),
    readStockCounts(db, id),
  ]);
  const unitsOf = (siteId: string, inStockOnly: boolean): string =>
    format.number(
      counts
        .filter((count) => count.siteId === siteId)
        .filter(({ status }) => !inStockOnly || IN_STOCK_STATUSES.has(status))
        .reduce((sum, { units }) => sum + units, 0),
    );
  const add = linkButton({
    href: context.shopPath('/places/new'),
    label: messages.addSite,
    kind: 'first',
    icon: 'plus',
  });
  const canWrite = context.can('inventory.write');
  return showPage({
    title: messages.title,
    section: 'places',
    headerActions: canWrite && sites.length > 0 ? add : undefined,
    content: html`<div class="sheet">
      ${table({
        caption: messages.caption,
        rows: sites,
        columns: [
          [
            messages.site,
            (site) =>
              html`<a href="${context.shopPath(`/places/${site.id}`)}">${site.name}</a>
                <span class="item-details">${site.code}</span>`,
          ],
          [messages.kind, (site) => siteKindName(site, language)],
          [messages.state, (site) => activeBadge(site.isActive, language)],
          [messages.locations, (site) => format.number(locations.get(site.id) ?? 0), 'number'],
          [messages.inStock, (site) => unitsOf(site.id, true), 'number'],
          [messages.allUnits, (site) => unitsOf(site.id, false), 'number'],
        ],
        empty: emptyState(messages.emptyTitle, messages.emptyText, canWrite ? add : ''),
      })}
    </div>`,
  });
}

/** Returns the name of a kind of site. An unknown kind is returned unchanged. */
export function siteKindName({ kind }: Pick<Site, 'kind'>, language: Language): string {
  const kinds: Readonly<Record<string, string>> = placeMessages[language].siteKinds;
  return kinds[kind] ?? kind;
}

export function activeBadge(isActive: boolean, language: Language): ReturnType<typeof badge> {
  const messages = placeMessages[language];
  return isActive ? badge(messages.active, 'good') : badge(messages.inactive);
}
