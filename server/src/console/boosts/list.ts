import { html } from 'hono/html';
import { LIVE_BOOSTS_MAX } from '../../boosts/boost-row.ts';
import { BOOST_STATUSES, statusAt } from '../../boosts/boost-status.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { selectField, textField } from '../parts/field.ts';
import { emptyState, note } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { type ListQuery, listValues, readListQuery } from './list-query.ts';
import { type ListedBoost, readListPage } from './list-read.ts';
import { stateBadge } from './state-words.ts';
import { describeTarget, gradeOfTarget, nameOfTarget } from './target-words.ts';
import { boostListMessages, boostStateMessages } from './messages/boost.ts';

/** How many live boosts make the page tell of the bound: a tenth is left. */
const NEAR_BOUND = LIVE_BOOSTS_MAX * 0.9;

/** The boosts of a shop, filtered and in pages. */
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
    <section class="sheet">
      ${isPast && boosts.length > 0 ? html`<p class="hint">${messages.past}</p>` : ''}
      ${boosts.length === 0 && !isShort ? renderEmpty(visit, query) : ''}
      ${boosts.length === 0 ? '' : renderTable(visit, boosts)}
      ${isShort ? html`<p class="hint">${messages.short}</p>` : ''}
      ${pager(language, {
        firstHref: query.after === null ? null : withQuery(href, listValues(query, null)),
        nextHref: next === null ? null : withQuery(href, listValues(query, next)),
      })}
    </section>`;
  return showPage({
    title: messages.title,
    content,
    section: 'boosts',
    isWide: true,
    ...(visit.may('purchases.write')
      ? {
          tools: linkButton({
            href: `${href}/new`,
            label: messages.add,
            kind: 'first',
            icon: 'plus',
          }),
        }
      : {}),
  });
}

function renderFilters({ language, path }: Visit, query: ListQuery): Markup {
  const messages = boostListMessages[language];
  const states = BOOST_STATUSES.map((value) => ({
    value,
    label: boostStateMessages[language][value],
  }));
  return html`<form class="filters" method="get" action="${path('/boosts')}" role="search">
    ${textField({ name: 'q', label: messages.text, value: query.text, type: 'search', maxLength: 300 })}
    ${selectField({
      name: 'state',
      label: messages.state,
      value: query.status ?? '',
      choices: [{ value: '', label: messages.current }, ...states],
    })}
    ${selectField({
      name: 'sort',
      label: messages.sort,
      value: query.order,
      choices: [
        { value: 'price', label: messages.byPrice },
        { value: 'end', label: messages.byEnd },
      ],
    })}
    ${submitButton(messages.filter, 'second')}
  </form>`;
}

function renderEmpty(visit: Visit, query: ListQuery): Markup {
  const messages = boostListMessages[visit.language];
  const href = visit.path('/boosts');
  const isFiltered = query.status !== null || query.text !== '' || query.after !== null;
  if (isFiltered) {
    return emptyState(messages.noneTitle, messages.none, linkButton({ href, label: messages.all }));
  }
  const add = visit.may('purchases.write')
    ? linkButton({ href: `${href}/new`, label: messages.add, kind: 'first', icon: 'plus' })
    : '';
  return emptyState(messages.emptyTitle, messages.empty, add);
}

function renderTable(visit: Visit, boosts: readonly ListedBoost[]): Markup {
  const messages = boostListMessages[visit.language];
  const mayWrite = visit.may('purchases.write');
  return table({
    caption: messages.title,
    isCaptionUnseen: true,
    columns: [
      { label: messages.target },
      { label: messages.grade },
      { label: messages.price, isNumber: true },
      { label: messages.left, isNumber: true },
      { label: messages.state },
      { label: messages.until },
      ...(mayWrite ? [{ label: messages.actions, isLabelUnseen: true }] : []),
    ],
    rows: boosts.map((boost) => [
      ...renderCells(visit, boost),
      ...(mayWrite ? [renderActions(visit, boost)] : []),
    ]),
  });
}

function renderCells(visit: Visit, { row, target }: ListedBoost): readonly (string | Markup)[] {
  const { language, format, now } = visit;
  const messages = boostListMessages[language];
  const status = statusAt(row, now);
  const { remainingQuantity: left, startsAt } = row;
  const ends = row.endedAt ?? row.endsAt;
  const until = ends === null ? messages.noEnd : format.dateTime(ends);
  return [
    describeTarget(target, language, visit.path(`/boosts/${row.id}`)),
    gradeOfTarget(target, language) ?? '–',
    format.money(row.priceMinor, row.currency),
    left === null ? messages.noLimit : format.number(left),
    stateBadge(status, language),
    status === 'scheduled' && startsAt !== null
      ? html`${messages.from}${language === 'ja' ? '：' : ': '}${format.dateTime(startsAt)}<br />${until}`
      : until,
  ];
}

function renderActions(visit: Visit, { row, target }: ListedBoost): Markup | string {
  if (row.endedAt !== null) return '';
  const messages = boostListMessages[visit.language];
  const href = visit.path(`/boosts/${row.id}`);
  const about = nameOfTarget(target, visit.language).text;
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
