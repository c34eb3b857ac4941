import { html } from 'hono/html';
import { listPlaces, type Place } from '../../inventory/places.ts';
import { readStockCounts, type StockCount } from '../../inventory/stock-figures.ts';
import type { MatchCount } from '../../inventory/stock-match-counts.ts';
import type { StockUnit } from '../../inventory/stock-list.ts';
import { UNIT_STATUSES } from '../../inventory/unit-status.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { type ConsoleResponse, redirectTo, sendFragment, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { cameraButton } from '../parts/camera-button.ts';
import type { Choice } from '../parts/field.ts';
import { gradeChoices } from '../parts/grade-choices.ts';
import { itemNameOf } from '../parts/item-text.ts';
import { filterForm, pager } from '../parts/list.ts';
import { emptyState, errorSummary, callout } from '../parts/notes.ts';
import { withQuery } from '../query.ts';
import {
  hasSearchTerms,
  formatSequencePosition,
  shownStatuses,
  type StockListFilter,
  stockListPath,
  toQueryValues,
} from '../parts/stock-filter.ts';
import { table } from '../parts/table.ts';
import { statusBadge, statusName } from '../parts/unit-status.ts';
import type { RequestContext } from '../request-context.ts';
import { type BulkState, EMPTY_BULK_STATE, renderBulkBar } from './bulk-bar.ts';
import type { FoundStock, StockSearch } from './find-stock.ts';
import { itemGradeText, unitCell } from './item-cell.ts';
import { placeName, placeText } from './place-choice.ts';
import { clearUndoCookie, readBulkChange, renderUndoButton } from './undo-bulk.ts';
import { stockListMessages } from './messages/list.ts';

interface ListParts {
  readonly filter: StockListFilter;
  readonly found: FoundStock;
  readonly siteCounts: readonly StockCount[];
  readonly places: readonly Place[];
  readonly grades: readonly Choice[];
  /** The state of the bulk form; empty unless the form was rejected. */
  readonly bulk: BulkState;
}

/**
 * Shows a list of units, or redirects to the only unit with the searched id or number. `bulk` is
 * the state of a bulk form that was rejected.
 */
export async function showStock(
  { db, publicUrl }: ConsoleDeps,
  search: StockSearch,
  context: RequestContext,
  filter: StockListFilter,
  bulk = EMPTY_BULK_STATE,
): Promise<ConsoleResponse> {
  const { id } = context.shop;
  const [found, siteCounts, places, grades] = await Promise.all([
    search.find(context, filter),
    readStockCounts(db, id),
    listPlaces(db, id),
    gradeChoices(db, id),
  ]);
  const [unit] = found.units;
  const parts = { filter, found, siteCounts, places, grades, bulk };
  // A script asks for the results while the member types.
  if (context.query['live'] === '1') return sendFragment(renderResults(context, parts));
  const isOnly = found.units.length === 1 && found.exact === 1 && found.next === null;
  if (isOnly && unit !== undefined && filter.from === null && bulk.error === null) {
    return redirectTo(context.shopPath(`/stock/${unit.id}`));
  }
  return listPage(context, parts, publicUrl.startsWith('https:'));
}

function listPage(context: RequestContext, parts: ListParts, isSecure: boolean): ConsoleResponse {
  const { language } = context;
  const messages = stockListMessages[language];
  const { bulk } = parts;
  const undo = readBulkChange(context.request.headers.cookie);
  const isBulkFlash = context.flash?.startsWith('units_') === true;
  const tools = context.can('inventory.write')
    ? html`${linkButton({ href: context.shopPath('/stock/import'), label: messages.import })}
      ${linkButton({
        href: context.shopPath('/stock/receive'),
        label: messages.receive,
        kind: 'first',
        icon: 'plus',
      })}`
    : undefined;
  return showPage({
    title: messages.stock,
    section: 'stock',
    isWide: true,
    status: bulk.error === null ? 200 : 422,
    scripts: context.can('inventory.write')
      ? ['stock-search', 'camera', 'stock-list']
      : ['stock-search', 'camera'],
    headerActions: tools,
    cookies: undo === null ? [] : [clearUndoCookie(isSecure)],
    content: html`${isBulkFlash ? renderUndoButton(context, undo, stockListPath(context, parts.filter)) : ''}
      ${errorSummary(messages.bulkFaults, bulk.error === null ? [] : [bulk.error])}
      ${renderFilters(context, parts)}
      <p class="unseen" role="status" id="stock-told"></p>
      <div id="stock-results">${renderResults(context, parts)}</div>`,
  });
}

/** Renders the part of the page that depends on the search and its filters. */
function renderResults(context: RequestContext, parts: ListParts): Markup {
  const { filter, found } = parts;
  const messages = stockListMessages[context.language];
  return html`${renderTabs(context, parts)} ${renderNotes(context.language, parts)}
    ${found.units.length === 0 ? renderEmpty(context, parts) : renderUnits(context, parts)}
    ${found.units.length === 0 ? '' : renderExport(context, filter)}
    ${pager(context.language, {
      path: context.shopPath('/stock'),
      query: toQueryValues(filter),
      name: 'before',
      here: formatSequencePosition(filter.from),
      next: formatSequencePosition(found.next),
    })}
    <template data-told="${messages.told(found.units.length, found.next !== null)}"></template>`;
}

function renderFilters(context: RequestContext, { filter, places, grades }: ListParts): Markup {
  const messages = stockListMessages[context.language];
  const sites = places.filter((place) => place.locationId === null);
  return filterForm(context.shopPath('/stock'), {
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
    hidden: {
      status: filter.status,
      location: filter.locationId,
      card: filter.cardId,
      product: filter.productId,
    },
    submit: messages.search,
    all: isNarrowed(filter) ? messages.clear : null,
    extra: cameraButton(context.language, 'q'),
  });
}

/** Renders the tabs of the statuses, each with the number of units in its list. */
function renderTabs(context: RequestContext, parts: ListParts): Markup {
  const { filter } = parts;
  const { language, format } = context;
  const messages = stockListMessages[language];
  const counts = countsOf(parts);
  const chosen = hasSearchTerms(filter) ? (filter.status ?? 'all') : filter.status;
  const tab = (status: StockListFilter['status'], label: string): Markup => {
    const href = stockListPath(context, { ...filter, status, from: null });
    const statuses = shownStatuses({ ...filter, status });
    const counted = counts.filter((count) => statuses.includes(count.status));
    const sum = format.number(counted.reduce((total, { units }) => total + units, 0));
    const text = counted.some(({ isPartial }) => isPartial) ? messages.atLeast(sum) : sum;
    const count = html` <span class="number">${text}</span>`;
    return status === chosen
      ? html`<li><a href="${href}" aria-current="true">${label}${count}</a></li>`
      : html`<li><a href="${href}">${label}${count}</a></li>`;
  };
  const shown = UNIT_STATUSES.filter(
    (status) =>
      status === chosen ||
      counts.some((count) => count.status === status && (count.units > 0 || count.isPartial)),
  );
  return html`<nav aria-label="${messages.statuses}">
    <ul class="tabs">
      ${hasSearchTerms(filter) ? '' : tab(null, messages.sellable)} ${tab('all', messages.all)}
      ${shown.map((status) => tab(status, statusName(status, language)))}
    </ul>
  </nav>`;
}

/**
 * Returns the counts of the found units, or the stored counts without any filter except the
 * site.
 */
function countsOf({ filter, found, siteCounts }: ListParts): readonly MatchCount[] {
  if (found.counts !== null) return found.counts;
  return siteCounts
    .filter(({ siteId }) => filter.siteId === null || siteId === filter.siteId)
    .map(({ status, units }) => ({ status, units, isPartial: false }));
}

function renderNotes(language: Language, { filter, found, places }: ListParts): Markup {
  const messages = stockListMessages[language];
  const here = places.find(({ locationId }) => locationId === filter.locationId);
  const [unit] = found.units;
  const isShort = found.next !== null && found.units.length === 0;
  return html`${filter.locationId === null ? '' : callout('calm', messages.only(here === undefined ? null : placeName(here)))}
  ${filter.cardId === null && filter.productId === null ? '' : callout('calm', messages.only(unit === undefined ? null : itemNameOf(unit.item, language).text))}
  ${found.exact > 0 ? callout('calm', messages.found.exact(found.exact)) : ''}
  ${found.problem === null ? '' : callout('warn', messages.found[found.problem])}
  ${isShort ? callout('calm', messages.found.shortPage) : ''}`;
}

function renderEmpty(context: RequestContext, { filter, found }: ListParts): Markup | '' {
  // The search did not run, so do not say that nothing was found.
  if (found.problem !== null) return '';
  const messages = stockListMessages[context.language];
  return isNarrowed(filter)
    ? emptyState(messages.nothingTitle, messages.nothingText)
    : emptyState(messages.emptyTitle, messages.emptyText);
}

/** The link contains the filters, so a search while typing replaces the link too. */
function renderExport(context: RequestContext, filter: StockListFilter): Markup {
  const href = withQuery(context.shopPath('/stock/export.csv'), toQueryValues(filter));
  return html`<p class="above">
    ${linkButton({ href, label: stockListMessages[context.language].export })}
  </p>`;
}

function renderUnits(context: RequestContext, parts: ListParts): Markup {
  const list = html`<div class="sheet stock-list">${renderTable(context, parts)}</div>`;
  if (!context.can('inventory.write')) return list;
  return html`<form method="post" action="${context.shopPath('/stock/bulk')}">
    ${context.formToken}
    <input type="hidden" name="list" value="${stockListPath(context, parts.filter)}" />
    ${list}${renderBulkBar(context.language, parts.places, parts.bulk)}
  </form>`;
}

function renderTable(context: RequestContext, { found, bulk }: ListParts): Markup | '' {
  const { language, format } = context;
  const messages = stockListMessages[language];
  return table({
    caption: messages.caption,
    rows: found.units,
    columns: [
      [
        messages.item,
        (unit) =>
          html`${context.can('inventory.write') ? renderChoice(language, unit, bulk.ticked) : ''}
          ${unitCell(context, unit)}`,
      ],
      [
        messages.grade,
        ({ item }) => itemGradeText(item) ?? (item.kind === 'card' ? messages.ungraded : '–'),
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
  const label = stockListMessages[language].choose(itemNameOf(item, language).text);
  return html`<label class="choose"
    ><input type="checkbox" name="unit.${id}" ${checked} /><span class="unseen"
      >${label}</span
    ></label
  >`;
}

function isNarrowed(filter: StockListFilter): boolean {
  return Object.entries(filter).some(
    ([name, value]) => name !== 'from' && value !== null && value !== '',
  );
}
