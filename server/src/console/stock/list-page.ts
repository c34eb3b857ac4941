import { html } from 'hono/html';
import { listPlaces, type Place } from '../../inventory/places.ts';
import { readStockCounts, type StockCount } from '../../inventory/stock-figures.ts';
import type { StockUnit } from '../../inventory/stock-list.ts';
import { UNIT_STATUSES, type UnitStatus } from '../../inventory/unit-status.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import type { Choice } from '../parts/field.ts';
import { gradeChoices } from '../parts/grade-choices.ts';
import { nameOf } from '../parts/item-words.ts';
import { filterForm, pager } from '../parts/list.ts';
import { emptyState, faultSummary, note } from '../parts/notes.ts';
import { filterQuery, type ListFilter, listPath } from '../parts/stock-filter.ts';
import { table } from '../parts/table.ts';
import { statusBadge, statusName } from '../parts/unit-status.ts';
import type { Visit } from '../visit.ts';
import { type BulkState, EMPTY_BULK, renderBulk } from './bulk-bar.ts';
import type { FoundStock, StockSearch } from './find-stock.ts';
import { gradeOf, unitCell } from './item-cell.ts';
import { placeName, placeText } from './place-choice.ts';
import { stockListMessages } from './messages/list.ts';

interface ListParts {
  readonly filter: ListFilter;
  readonly found: FoundStock;
  readonly counts: readonly StockCount[];
  readonly places: readonly Place[];
  readonly grades: readonly Choice[];
  /** The rejected bulk form. */
  readonly bulk: BulkState;
}

/** Shows a shop's units; with `bulk`, the bulk form as it was submitted. */
export async function showStock(
  { db }: ConsoleDeps,
  search: StockSearch,
  visit: Visit,
  filter: ListFilter,
  bulk = EMPTY_BULK,
): Promise<ConsoleAnswer> {
  const { id } = visit.shop;
  const [found, counts, places, grades] = await Promise.all([
    search.find(visit, filter),
    readStockCounts(db, id),
    listPlaces(db, id),
    gradeChoices(db, id),
  ]);
  return listPage(visit, { filter, found, counts, places, grades, bulk });
}

function listPage(visit: Visit, parts: ListParts): ConsoleAnswer {
  const { language } = visit;
  const messages = stockListMessages[language];
  const { filter, found, bulk } = parts;
  const tools = visit.may('inventory.write')
    ? linkButton({
        href: visit.path('/stock/receive'),
        label: messages.receive,
        kind: 'first',
        icon: 'plus',
      })
    : undefined;
  return showPage({
    title: messages.stock,
    section: 'stock',
    isWide: true,
    status: bulk.fault === null ? 200 : 422,
    scripts: visit.may('inventory.write') ? ['stock-list'] : [],
    tools,
    content: html`${faultSummary(messages.bulkFaults, bulk.fault === null ? [] : [bulk.fault])}
    ${renderFilters(visit, parts)} ${renderTabs(visit, parts)} ${renderNotes(language, parts)}
    ${found.units.length === 0 ? renderEmpty(visit, parts) : renderUnits(visit, parts)}
    ${pager(language, {
      path: visit.path('/stock'),
      query: filterQuery(filter),
      name: 'before',
      here: filter.beforeSeq,
      next: found.nextBeforeSeq,
    })}`,
  });
}

function renderFilters(visit: Visit, { filter, places, grades }: ListParts): Markup {
  const messages = stockListMessages[visit.language];
  const sites = places.filter((place) => place.locationId === null);
  return filterForm(visit.path('/stock'), {
    filters: [
      { name: 'q', label: messages.search, hint: messages.searchHint, value: filter.text },
      {
        name: 'site',
        label: messages.site,
        value: filter.siteId,
        any: messages.anySite,
        choices: sites.map((site) => ({ value: site.siteId, label: site.siteName })),
      },
      {
        name: 'grade',
        label: messages.grade,
        value: filter.gradeId,
        any: messages.anyGrade,
        choices: grades,
      },
    ],
    kept: {
      status: filter.status,
      location: filter.locationId,
      card: filter.cardId,
      product: filter.productId,
    },
    submit: messages.search,
    all: isNarrowed(filter) ? messages.clear : null,
  });
}

/** Counts are by site and status only, so other filters hide them. */
function renderTabs(visit: Visit, { filter, counts }: ListParts): Markup {
  const { language, format } = visit;
  const messages = stockListMessages[language];
  const { siteId } = filter;
  const isCounted = !isNarrowed({ ...filter, siteId: null, status: null });
  const units = counts.filter((count) => siteId === null || count.siteId === siteId);
  const totalOf = (status: UnitStatus | null): number =>
    units.reduce(
      (sum, count) => sum + (status === null || count.status === status ? count.units : 0),
      0,
    );
  const shown = UNIT_STATUSES.filter((status) => totalOf(status) > 0 || status === filter.status);
  const tab = (status: UnitStatus | null, label: string): Markup => {
    const href = listPath(visit, { ...filter, status, beforeSeq: null });
    const count = isCounted
      ? html` <span class="number">${format.number(totalOf(status))}</span>`
      : '';
    return status === filter.status
      ? html`<li><a href="${href}" aria-current="true">${label}${count}</a></li>`
      : html`<li><a href="${href}">${label}${count}</a></li>`;
  };
  return html`<nav aria-label="${messages.statuses}">
    <ul class="tabs">
      ${tab(null, messages.all)} ${shown.map((status) => tab(status, statusName(status, language)))}
    </ul>
  </nav>`;
}

function renderNotes(language: Language, { filter, found, places }: ListParts): Markup {
  const messages = stockListMessages[language];
  const here = places.find(({ locationId }) => locationId === filter.locationId);
  const [unit] = found.units;
  const isShort = found.nextBeforeSeq !== null && found.units.length === 0;
  return html`${filter.locationId === null ? '' : note('calm', messages.only(here === undefined ? null : placeName(here)))}
  ${filter.cardId === null && filter.productId === null ? '' : note('calm', messages.only(unit === undefined ? null : nameOf(unit.item, language).text))}
  ${found.by === 'exact' ? note('calm', messages.found.exact) : ''}
  ${found.by === 'too_long' || found.by === 'unavailable' ? note('warn', messages.found[found.by]) : ''}
  ${isShort ? note('calm', messages.found.shortPage) : ''}`;
}

function renderEmpty(visit: Visit, { filter, found }: ListParts): Markup | '' {
  // A search that did not run does not mean that nothing was found.
  if (found.by === 'too_long' || found.by === 'unavailable') return '';
  const messages = stockListMessages[visit.language];
  return isNarrowed(filter)
    ? emptyState(messages.nothingTitle, messages.nothingText)
    : emptyState(messages.emptyTitle, messages.emptyText);
}

function renderUnits(visit: Visit, parts: ListParts): Markup {
  const list = html`<div class="sheet stock-list">${renderTable(visit, parts)}</div>`;
  if (!visit.may('inventory.write')) return list;
  return html`<form method="post" action="${visit.path('/stock/bulk')}">
    ${visit.formToken}
    <input type="hidden" name="list" value="${listPath(visit, parts.filter)}" />
    ${list}${renderBulk(visit.language, parts.places, parts.bulk)}
  </form>`;
}

function renderTable(visit: Visit, { found, bulk }: ListParts): Markup | '' {
  const { language, format } = visit;
  const messages = stockListMessages[language];
  return table({
    caption: messages.caption,
    rows: found.units,
    columns: [
      [
        messages.item,
        (unit) =>
          html`${visit.may('inventory.write') ? renderChoice(language, unit, bulk.ticked) : ''}
          ${unitCell(visit, unit)}`,
      ],
      [
        messages.grade,
        ({ item }) => gradeOf(item) ?? (item.kind === 'card' ? messages.ungraded : '–'),
      ],
      [messages.status, ({ status }) => statusBadge(status, language)],
      [messages.place, ({ site, location }) => placeText(site, location)],
      [
        messages.price,
        ({ priceMinor, currency }) =>
          priceMinor === null ? '–' : format.money(priceMinor, currency),
        'number',
      ],
      [messages.changed, ({ updatedAt }) => format.ago(updatedAt)],
    ],
  });
}

function renderChoice(
  language: Language,
  { id, item }: StockUnit,
  ticked: ReadonlySet<string>,
): Markup {
  const checked = ticked.has(id) ? html` checked` : '';
  const label = stockListMessages[language].choose(nameOf(item, language).text);
  return html`<label class="choose"
    ><input type="checkbox" name="unit.${id}" ${checked} /><span class="unseen"
      >${label}</span
    ></label
  >`;
}

function isNarrowed(filter: ListFilter): boolean {
  return Object.entries(filter).some(
    ([name, value]) => name !== 'beforeSeq' && value !== null && value !== '',
  );
}
