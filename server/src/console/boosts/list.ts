import { html } from 'hono/html';
import { LIVE_BOOSTS_MAX } from '../../boosts/boost-row.ts';
import { BOOST_STATUSES, statusAt } from '../../boosts/boost-status.ts';
import type { Language } from '../../pages/language.ts';
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
import { STATE_WORDS, stateBadge } from './state-words.ts';
import { describeTarget, gradeOfTarget, nameOfTarget } from './target-words.ts';

interface Words {
  readonly title: string;
  readonly add: string;
  readonly state: string;
  readonly current: string;
  readonly text: string;
  readonly sort: string;
  readonly byPrice: string;
  readonly byEnd: string;
  readonly filter: string;
  readonly past: string;
  readonly target: string;
  readonly grade: string;
  readonly price: string;
  readonly left: string;
  readonly until: string;
  readonly actions: string;
  readonly noLimit: string;
  readonly noEnd: string;
  readonly from: string;
  readonly pause: string;
  readonly resume: string;
  readonly edit: string;
  readonly near: (live: string, max: string) => string;
  readonly emptyTitle: string;
  readonly empty: string;
  readonly noneTitle: string;
  readonly none: string;
  readonly short: string;
  readonly all: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Buy boosts',
    add: 'New buy boost',
    state: 'Status',
    current: 'All current',
    text: 'Card, product or note',
    sort: 'Order',
    byPrice: 'Highest price first',
    byEnd: 'Soonest end first',
    filter: 'Search',
    past: 'The newest end comes first.',
    target: 'Card or product',
    grade: 'Grade',
    price: 'Price',
    left: 'Still to buy',
    until: 'Ends',
    actions: 'Actions',
    noLimit: 'No limit',
    noEnd: 'No end',
    from: 'From',
    pause: 'Pause',
    resume: 'Resume',
    edit: 'Edit',
    near: (live, max) =>
      `Your shop has ${live} of at most ${max} buy boosts that are neither ended nor expired. End those that you no longer need.`,
    emptyTitle: 'No buy boosts yet',
    empty:
      'A buy boost tells apps and their users which cards your shop wants to buy, and at what price.',
    noneTitle: 'Nothing matches',
    none: 'No buy boost matches.',
    short: 'Only the newest ones were searched. There may be more on the next page.',
    all: 'Show all current ones',
  },
  ja: {
    title: '買取強化',
    add: '買取強化を登録',
    state: '状態',
    current: '有効な買取強化',
    text: 'カード・商品・メモ',
    sort: '並び順',
    byPrice: '価格の高い順',
    byEnd: '終了が近い順',
    filter: '検索',
    past: '終了の新しい順に表示しています。',
    target: '対象',
    grade: 'グレード',
    price: '価格',
    left: '残り',
    until: '終了日時',
    actions: '操作',
    noLimit: '無制限',
    noEnd: 'なし',
    from: '開始',
    pause: '一時停止',
    resume: '再開',
    edit: '編集',
    near: (live, max) =>
      `有効な買取強化が ${live} 件あります（上限 ${max} 件）。不要なものは終了してください。`,
    emptyTitle: '買取強化はまだありません',
    empty:
      '買取強化を登録すると、ショップが買い取りたいカードと価格がアプリとその利用者に伝わります。',
    noneTitle: '該当するものがありません',
    none: '条件に合う買取強化はありません。',
    short: '新しいものから順に検索しました。続きは次のページにある場合があります。',
    all: '有効な買取強化をすべて表示',
  },
};

/** How many live boosts make the page tell of the bound: a tenth is left. */
const NEAR_BOUND = LIVE_BOOSTS_MAX * 0.9;

/** The boosts of a shop, filtered and in pages. */
export async function showList(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const { language, format } = visit;
  const text = WORDS[language];
  const query = readListQuery(visit.query);
  const { boosts, next, isShort, live } = await readListPage(visit, deps, query);
  const href = visit.path('/boosts');
  const isPast = query.status === 'expired' || query.status === 'ended';
  const content = html`${
      live < NEAR_BOUND
        ? ''
        : note('warn', text.near(format.number(live), format.number(LIVE_BOOSTS_MAX)))
    }
    ${renderFilters(visit, query)}
    <section class="sheet">
      ${isPast && boosts.length > 0 ? html`<p class="hint">${text.past}</p>` : ''}
      ${boosts.length === 0 && !isShort ? renderEmpty(visit, query) : ''}
      ${boosts.length === 0 ? '' : renderTable(visit, boosts)}
      ${isShort ? html`<p class="hint">${text.short}</p>` : ''}
      ${pager(language, {
        firstHref: query.after === null ? null : withQuery(href, listValues(query, null)),
        nextHref: next === null ? null : withQuery(href, listValues(query, next)),
      })}
    </section>`;
  return showPage({
    title: text.title,
    content,
    section: 'boosts',
    isWide: true,
    ...(visit.may('purchases.write')
      ? { tools: linkButton({ href: `${href}/new`, label: text.add, kind: 'first', icon: 'plus' }) }
      : {}),
  });
}

function renderFilters({ language, path }: Visit, query: ListQuery): Markup {
  const text = WORDS[language];
  const states = BOOST_STATUSES.map((value) => ({ value, label: STATE_WORDS[language][value] }));
  return html`<form class="filters" method="get" action="${path('/boosts')}" role="search">
    ${textField({ name: 'q', label: text.text, value: query.text, type: 'search', maxLength: 300 })}
    ${selectField({
      name: 'state',
      label: text.state,
      value: query.status ?? '',
      choices: [{ value: '', label: text.current }, ...states],
    })}
    ${selectField({
      name: 'sort',
      label: text.sort,
      value: query.order,
      choices: [
        { value: 'price', label: text.byPrice },
        { value: 'end', label: text.byEnd },
      ],
    })}
    ${submitButton(text.filter, 'second')}
  </form>`;
}

function renderEmpty(visit: Visit, query: ListQuery): Markup {
  const text = WORDS[visit.language];
  const href = visit.path('/boosts');
  const isFiltered = query.status !== null || query.text !== '' || query.after !== null;
  if (isFiltered) {
    return emptyState(text.noneTitle, text.none, linkButton({ href, label: text.all }));
  }
  const add = visit.may('purchases.write')
    ? linkButton({ href: `${href}/new`, label: text.add, kind: 'first', icon: 'plus' })
    : '';
  return emptyState(text.emptyTitle, text.empty, add);
}

function renderTable(visit: Visit, boosts: readonly ListedBoost[]): Markup {
  const text = WORDS[visit.language];
  const mayWrite = visit.may('purchases.write');
  return table({
    caption: text.title,
    isCaptionUnseen: true,
    columns: [
      { label: text.target },
      { label: text.grade },
      { label: text.price, isNumber: true },
      { label: text.left, isNumber: true },
      { label: text.state },
      { label: text.until },
      ...(mayWrite ? [{ label: text.actions, isLabelUnseen: true }] : []),
    ],
    rows: boosts.map((boost) => [
      ...renderCells(visit, boost),
      ...(mayWrite ? [renderActions(visit, boost)] : []),
    ]),
  });
}

function renderCells(visit: Visit, { row, target }: ListedBoost): readonly (string | Markup)[] {
  const { language, format, now } = visit;
  const text = WORDS[language];
  const status = statusAt(row, now);
  const { remainingQuantity: left, startsAt } = row;
  const ends = row.endedAt ?? row.endsAt;
  const until = ends === null ? text.noEnd : format.dateTime(ends);
  return [
    describeTarget(target, language, visit.path(`/boosts/${row.id}`)),
    gradeOfTarget(target, language) ?? '–',
    format.money(row.priceMinor, row.currency),
    left === null ? text.noLimit : format.number(left),
    stateBadge(status, language),
    status === 'scheduled' && startsAt !== null
      ? html`${text.from}${language === 'ja' ? '：' : ': '}${format.dateTime(startsAt)}<br />${until}`
      : until,
  ];
}

function renderActions(visit: Visit, { row, target }: ListedBoost): Markup | string {
  if (row.endedAt !== null) return '';
  const text = WORDS[visit.language];
  const href = visit.path(`/boosts/${row.id}`);
  const about = nameOfTarget(target, visit.language).text;
  const back = { back: 'list' };
  return html`<div class="boost-actions">
    ${
      row.isPaused
        ? actionButton(visit, { action: `${href}/resume`, label: text.resume, about, fields: back })
        : actionButton(visit, { action: `${href}/pause`, label: text.pause, about, fields: back })
    }
    ${linkButton({ href: `${href}/edit`, label: text.edit, kind: 'plain', about })}
  </div>`;
}
