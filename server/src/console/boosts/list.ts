import { html } from 'hono/html';
import { LIVE_BOOSTS_MAX } from '../../boosts/boost-row.ts';
import { BOOST_STATUSES, statusAt } from '../../boosts/boost-status.ts';
import type { Markup } from '../../html/page.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { describeTarget, gradeOfTarget, stateBadge } from '../parts/boost-text.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { itemNameOf } from '../parts/item-text.ts';
import { filterForm, pagedTable } from '../parts/list.ts';
import { boostStateMessages } from '../parts/messages/catalog.ts';
import { emptyState, callout } from '../parts/notes.ts';
import type { Cell, Column } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import {
  type ListedBoost,
  type ListQuery,
  toQueryValues,
  readListPage,
  parseListQuery,
  formatPosition,
} from './list-read.ts';
import { boostListMessages } from './messages/boost.ts';

/** The page shows the limit once this many boosts are live. */
const NEAR_BOUND = LIVE_BOOSTS_MAX * 0.9;

export async function showBoostList(
  context: RequestContext,
  deps: ConsoleDeps,
): Promise<ConsoleResponse> {
  const { language, format } = context;
  const messages = boostListMessages[language];
  const query = parseListQuery(context.query);
  const { boosts, next, isShort, live } = await readListPage(context, deps, query);
  const href = context.shopPath('/boosts');
  const isPast = query.status === 'expired' || query.status === 'ended';
  const content = html`${
    live < NEAR_BOUND
      ? ''
      : callout('warn', messages.near(format.number(live), format.number(LIVE_BOOSTS_MAX)))
  }
  ${renderFilters(context, query)}
  ${isPast && boosts.length > 0 ? html`<p class="hint">${messages.past}</p>` : ''}
  ${isShort ? html`<p class="hint">${messages.short}</p>` : ''}
  ${pagedTable(language, {
    caption: messages.boosts,
    rows: boosts,
    columns: columnsOf(context),
    empty: isShort ? '' : renderEmpty(context, query),
    paging: {
      path: href,
      query: toQueryValues(query),
      name: 'after',
      here: query.after === null ? null : formatPosition(query.after),
      next: next === null ? null : formatPosition(next),
    },
  })}`;
  return showPage({
    title: messages.boosts,
    content,
    section: 'boosts',
    isWide: true,
    headerActions: renderAdd(context),
  });
}

function renderFilters({ language, shopPath }: RequestContext, query: ListQuery): Markup {
  const messages = boostListMessages[language];
  const states = BOOST_STATUSES.map((value) => ({
    value,
    label: boostStateMessages[language][value],
  }));
  return filterForm(shopPath('/boosts'), {
    filters: [
      { name: 'q', label: messages.text, value: query.text },
      {
        name: 'state',
        label: messages.status,
        value: query.status,
        any: messages.current,
        choices: states,
      },
      {
        name: 'sort',
        label: messages.sort,
        value: query.order,
        choices: [
          { value: 'price', label: messages.byPrice },
          { value: 'end', label: messages.byEnd },
        ],
      },
    ],
    submit: messages.search,
  });
}

function renderEmpty(context: RequestContext, query: ListQuery): Markup {
  const messages = boostListMessages[context.language];
  const href = context.shopPath('/boosts');
  const isFiltered = query.status !== null || query.text !== '' || query.after !== null;
  if (isFiltered) {
    return emptyState(messages.noneTitle, messages.none, linkButton({ href, label: messages.all }));
  }
  return emptyState(messages.emptyTitle, messages.empty, renderAdd(context));
}

function renderAdd({ language, can, shopPath }: RequestContext): Markup | undefined {
  if (!can('purchases.write')) return undefined;
  const label = boostListMessages[language].add;
  return linkButton({ href: shopPath('/boosts/new'), label, kind: 'first', icon: 'plus' });
}

function columnsOf(context: RequestContext): readonly (Column<ListedBoost> | null)[] {
  const { language, format, now } = context;
  const messages = boostListMessages[language];
  return [
    [
      messages.target,
      ({ row, target }) => describeTarget(target, language, context.shopPath(`/boosts/${row.id}`)),
    ],
    [messages.grade, ({ target }) => gradeOfTarget(target, language) ?? '–'],
    [messages.price, ({ row }) => format.money(row.priceMinor, row.currency), 'number'],
    [
      messages.left,
      ({ row: { remainingQuantity: left } }) =>
        left === null ? messages.noLimit : format.number(left),
      'number',
    ],
    [messages.status, ({ row }) => stateBadge(statusAt(row, now), language)],
    [messages.until, (boost) => renderUntil(context, boost)],
    context.can('purchases.write')
      ? [messages.actions, (boost) => renderActions(context, boost), 'buttons']
      : null,
  ];
}

function renderUntil({ language, format, now }: RequestContext, { row }: ListedBoost): Cell {
  const messages = boostListMessages[language];
  const { startsAt } = row;
  const ends = row.endedAt ?? row.endsAt;
  const until = ends === null ? messages.noEnd : format.dateTime(ends);
  if (statusAt(row, now) !== 'scheduled' || startsAt === null) return until;
  const from = `${messages.from}${language === 'ja' ? '：' : ': '}`;
  return html`${from}${format.dateTime(startsAt)}<br />${until}`;
}

function renderActions(context: RequestContext, { row, target }: ListedBoost): Markup | string {
  if (row.endedAt !== null) return '';
  const messages = boostListMessages[context.language];
  const href = context.shopPath(`/boosts/${row.id}`);
  const about = itemNameOf(target, context.language).text;
  const back = { back: 'list' };
  return html`<div class="boost-actions">
    ${
      row.isPaused
        ? actionButton(context, {
            action: `${href}/resume`,
            label: messages.resume,
            about,
            fields: back,
          })
        : actionButton(context, {
            action: `${href}/pause`,
            label: messages.pause,
            about,
            fields: back,
          })
    }
    ${linkButton({ href: `${href}/edit`, label: messages.edit, kind: 'plain', about })}
  </div>`;
}
