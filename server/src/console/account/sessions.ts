import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { endSessionsOf, findSession } from '../../shops/session.ts';
import { listSignInRecords, type SignInRecord } from '../../shops/sign-in-record.ts';
import {
  endOtherSessions,
  endSessionOfId,
  type ListedSession,
  listSessions,
} from '../../shops/session-list.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton } from '../parts/button.ts';
import { table } from '../parts/table.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';
import { browserName } from './browser-name.ts';
import { accountTabs, tabName } from './tabs.ts';

interface Words {
  readonly intro: string;
  readonly caption: string;
  readonly browser: string;
  readonly here: string;
  readonly network: string;
  readonly unknown: string;
  readonly way: string;
  readonly password: string;
  readonly passkey: string;
  readonly since: string;
  readonly lastSeen: string;
  readonly actions: string;
  readonly end: string;
  readonly others: string;
  readonly all: string;
  readonly allText: string;
  readonly records: string;
  readonly recordsIntro: string;
  readonly when: string;
  readonly outcome: string;
  readonly signedIn: string;
  readonly failed: string;
  readonly times: string;
  readonly noRecords: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    intro:
      'Every browser in which you are signed in. A sign-in ends by itself after an hour without use, and after 12 hours in any case. If you do not know one of them, sign it out, change your password and look at your passkeys.',
    caption: 'Browsers in which I am signed in',
    browser: 'Browser',
    here: 'This browser',
    network: 'Network address',
    unknown: 'Not known',
    way: 'Signed in with',
    password: 'Password',
    passkey: 'Passkey',
    since: 'Signed in',
    lastSeen: 'Last seen',
    actions: 'Actions',
    end: 'Sign out',
    others: 'Sign out everywhere else',
    all: 'Sign out everywhere',
    allText: '“Sign out everywhere” signs this browser out too.',
    records: 'Recent sign-ins and failed attempts',
    recordsIntro:
      'Of the last 90 days, at most 50 of each. If a failed attempt was not yours, somebody may be guessing your password: choose a long one that you use nowhere else, or a passkey.',
    when: 'Last time',
    outcome: 'What happened',
    signedIn: 'Signed in',
    failed: 'Failed',
    times: 'Times within an hour',
    noRecords: 'None are known.',
  },
  ja: {
    intro:
      'ログイン中のすべてのブラウザです。1 時間使わないと、また使用中でも 12 時間後に、自動でログアウトします。心当たりのないものがあれば、ログアウトさせてパスワードを変更し、パスキーも確認してください。',
    caption: 'ログイン中のブラウザ',
    browser: 'ブラウザ',
    here: 'このブラウザ',
    network: 'ネットワーク',
    unknown: '不明',
    way: 'ログイン方法',
    password: 'パスワード',
    passkey: 'パスキー',
    since: 'ログイン日時',
    lastSeen: '最終アクセス',
    actions: '操作',
    end: 'ログアウト',
    others: 'ほかのブラウザをすべてログアウト',
    all: 'すべてログアウト',
    allText: '「すべてログアウト」では、このブラウザもログアウトします。',
    records: '最近のログインと失敗した試行',
    recordsIntro:
      '過去 90 日間、それぞれ 50 件まで表示します。失敗した試行に心当たりがない場合は、第三者がパスワードを推測している可能性があります。ほかで使っていない長いパスワードか、パスキーをお使いください。',
    when: '最終日時',
    outcome: '結果',
    signedIn: 'ログイン',
    failed: '失敗',
    times: '1 時間以内の回数',
    noRecords: '記録はありません。',
  },
};

/** Mounts a person's open sessions: the list, and the end of one, of all others, of all. */
export function mountSessions(routes: AccountRoutes, { db, signIn }: ConsoleDeps): void {
  routes.page('/account/sessions', async (visitor) => {
    const { account, now } = visitor;
    const [sessions, records, ownId] = await Promise.all([
      listSessions(db, account.id, now),
      listSignInRecords(db, account.id),
      ownSessionId(db, visitor),
    ]);
    return showSessions(visitor, sessions, records, ownId);
  });

  routes.action('/account/sessions/:id/end', async (visitor) => {
    const { account, now, actor, params } = visitor;
    const { id } = params;
    if (!isUuid(id)) return NOT_FOUND;
    const ownId = await ownSessionId(db, visitor);
    const hasEnded = await db.transaction(
      async (tx) => await endSessionOfId(tx, account.id, id, now, actor),
    );
    if (!hasEnded) return NOT_FOUND;
    if (id === ownId) return goTo('/signin', null, [signIn.cookie.clear()]);
    return goTo('/console/account/sessions', 'session_ended');
  });

  routes.action('/account/sessions/end-others', async (visitor) => {
    const { account, now, actor } = visitor;
    const ownId = await ownSessionId(db, visitor);
    const ended = await db.transaction(
      async (tx) => await endOtherSessions(tx, account.id, ownId, now, actor),
    );
    return goTo('/console/account/sessions', ended === 0 ? 'unchanged' : 'sessions_ended');
  });

  routes.action('/account/sessions/end-all', async ({ account, now, actor }) => {
    await db.transaction(async (tx) => await endSessionsOf(tx, account.id, now, actor));
    return goTo('/signin', null, [signIn.cookie.clear()]);
  });
}

/**
 * The id of the session of this browser.
 *
 * @throws ConsoleRefusal `sign_in` when it has ended since the visitor was let in
 */
export async function ownSessionId(
  db: ConsoleDeps['db'],
  { sessionSecret, now }: Visitor,
): Promise<string> {
  const session = await findSession(db, sessionSecret, now);
  if (session === undefined) throw new ConsoleRefusal({ kind: 'sign_in', next: null });
  return session.id;
}

function showSessions(
  visitor: Visitor,
  sessions: readonly ListedSession[],
  records: readonly SignInRecord[],
  ownId: string,
): ConsoleAnswer {
  const { language } = visitor;
  const text = WORDS[language];
  const content = html`${accountTabs(language, 'sessions')}
    <section class="sheet">
      <p>${text.intro}</p>
      ${renderSessions(visitor, sessions, ownId)}
      <p class="hint above">${text.allText}</p>
      <div class="actions">
        ${
          sessions.length < 2
            ? ''
            : actionButton(visitor, {
                action: '/console/account/sessions/end-others',
                label: text.others,
                kind: 'first',
              })
        }
        ${actionButton(visitor, {
          action: '/console/account/sessions/end-all',
          label: text.all,
          kind: 'danger',
        })}
      </div>
    </section>
    <section class="sheet">
      <h2>${text.records}</h2>
      <p>${text.recordsIntro}</p>
      ${records.length === 0 ? html`<p>${text.noRecords}</p>` : renderRecords(visitor, records)}
    </section>`;
  return showPage({ title: tabName(language, 'sessions'), section: null, content });
}

function renderSessions(
  visitor: Visitor,
  sessions: readonly ListedSession[],
  ownId: string,
): Markup {
  const { language, format } = visitor;
  const text = WORDS[language];
  return table({
    caption: text.caption,
    isCaptionUnseen: true,
    columns: [
      { label: text.browser },
      { label: text.network },
      { label: text.way },
      { label: text.since },
      { label: text.lastSeen },
      { label: text.actions, isLabelUnseen: true },
    ],
    rows: sessions.map((session) => {
      const { id, network, way, createdAt, lastSeenAt } = session;
      const name = browserName(session.browser, language);
      return [
        html`${name} ${id === ownId ? badge(text.here, 'good') : ''}`,
        network === 'unknown' ? text.unknown : network,
        way === 'passkey' ? text.passkey : text.password,
        format.ago(createdAt),
        format.ago(lastSeenAt),
        actionButton(visitor, {
          action: `/console/account/sessions/${id}/end`,
          label: text.end,
          about: name,
        }),
      ];
    }),
  });
}

function renderRecords({ language, format }: Visitor, records: readonly SignInRecord[]): Markup {
  const text = WORDS[language];
  return table({
    caption: text.records,
    isCaptionUnseen: true,
    columns: [
      { label: text.when },
      { label: text.outcome },
      { label: text.network },
      { label: text.way },
      { label: text.browser },
      { label: text.times },
    ],
    rows: records.map(({ lastAt, outcome, network, way, browser, attempts }) => [
      format.dateTime(lastAt),
      outcome === 'failed' ? badge(text.failed, 'warn') : badge(text.signedIn, 'good'),
      network === 'unknown' ? text.unknown : network,
      way === 'passkey' ? text.passkey : text.password,
      browserName(browser, language),
      format.number(attempts),
    ]),
  });
}
