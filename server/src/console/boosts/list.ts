import { html } from 'hono/html';
import { LIVE_BOOSTS_MAX } from '../../boosts/boost-row.ts';
import { BOOST_STATUSES, statusAt } from '../../boosts/boost-status.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { describeTarget, gradeOfTarget, stateBadge } from '../parts/boost-words.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { nameOf } from '../parts/item-words.ts';
import { filterForm, list } from '../parts/list.ts';
import { boostStateMessages } from '../parts/messages/catalog.ts';
import { emptyState, note } from '../parts/notes.ts';
import type { Cell, Column } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import {
  type ListedBoost,
  type ListQuery,
  listValues,
  readListPage,
  readListQuery,
  writePlace,
} from './list-read.ts';
import { boostListMessages } from './messages/boost.ts';

/** From 90 % of the limit on, the page mentions it. */
const NEAR_BOUND = LIVE_BOOSTS_MAX * 0.9;

export async function showList(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const { language, format } = visit;
  const messages = boostListMessages[language];
  const query = readListQuery(visit.query);
  const { boosts, next, isShort, live } = await readListPage(visit, deps, query);
  const href = visit.path('/boosts');
  const isPast = query.status === 'expired' || query.status === 'ended';
  const content = html`${
    live < NEAR_BOUND
      ? ''
      : note('warn', messages.near(format.number(live), format.number(LIVE_BOOSTS_MAX)))
  }
  ${renderFilters(visit, query)}
  ${isPast && boosts.length > 0 ? html`<p class="hint">${messages.past}</p>` : ''}
  ${isShort ? html`<p class="hint">${messages.short}</p>` : ''}
  ${list(language, {
    caption: messages.boosts,
    rows: boosts,
    columns: columnsOf(visit),
    empty: isShort ? '' : renderEmpty(visit, query),
    paging: {
      path: href,
      query: listValues(query),
      name: 'after',
      here: query.after === null ? null : writePlace(query.after),
      next: next === null ? null : writePlace(next),
    },
  })}`;
  return showPage({
    title: messages.boosts,
    content,
    section: 'boosts',
    isWide: true,
    tools: renderAdd(visit),
  });
}

function renderFilters({ language, path }: Visit, query: ListQuery): Markup {
  const messages = boostListMessages[language];
  const states = BOOST_STATUSES.map((value) => ({
    value,
    label: boostStateMessages[language][value],
  }));
  return filterForm(path('/boosts'), {
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

function renderEmpty(visit: Visit, query: ListQuery): Markup {
  const messages = boostListMessages[visit.language];
  const href = visit.path('/boosts');
  const isFiltered = query.status !== null || query.text !== '' || query.after !== null;
  if (isFiltered) {
    return emptyState(messages.noneTitle, messages.none, linkButton({ href, label: messages.all }));
  }
  return emptyState(messages.emptyTitle, messages.empty, renderAdd(visit));
}

function renderAdd({ language, may, path }: Visit): Markup | undefined {
  if (!may('purchases.write')) return undefined;
  const label = boostListMessages[language].add;
  return linkButton({ href: path('/boosts/new'), label, kind: 'first', icon: 'plus' });
}

function columnsOf(visit: Visit): readonly (Column<ListedBoost> | null)[] {
  const { language, format, now } = visit;
  const messages = boostListMessages[language];
  return [
    [
      messages.target,
      ({ row, target }) => describeTarget(target, language, visit.path(`/boosts/${row.id}`)),
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
    [messages.until, (boost) => renderUntil(visit, boost)],
    visit.may('purchases.write')
      ? [messages.actions, (boost) => renderActions(visit, boost), 'buttons']
      : null,
  ];
}

function renderUntil({ language, format, now }: Visit, { row }: ListedBoost): Cell {
  const messages = boostListMessages[language];
  const { startsAt } = row;
  const ends = row.endedAt ?? row.endsAt;
  const until = ends === null ? messages.noEnd : format.dateTime(ends);
  if (statusAt(row, now) !== 'scheduled' || startsAt === null) return until;
  const from = `${messages.from}${language === 'ja' ? '：' : ': '}`;
  return html`${from}${format.dateTime(startsAt)}<br />${until}`;
}

function renderActions(visit: Visit, { row, target }: ListedBoost): Markup | string {
  if (row.endedAt !== null) return '';
  const messages = boostListMessages[visit.language];
  const href = visit.path(`/boosts/${row.id}`);
  const about = nameOf(target, visit.language).text;
  const back = { back: 'list' };
  return html`<div class="boost-actions">
    ${
      row.isPaused
        ? actionButton(visit, {
            action: `${href}/resume`,
            label: messages.resume,
            about,
            fields: back,
          })
        : actionButton(visit, {
            action: `${href}/pause`,
            label: messages.pause,
            about,
            fields: back,
          })
    }
    ${linkButton({ href: `${href}/edit`, label: messages.edit, kind: 'plain', about })}
  </div>`;
}
