import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import {
  endOtherSessions,
  endSessionById,
  type ListedSession,
  listSessions,
} from '../../shops/session-list.ts';
import { endSessionsOfAccount, findSession } from '../../shops/session.ts';
import { listSignInRecords, type SignInRecord } from '../../shops/sign-in-record.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton } from '../parts/button.ts';
import { type Column, table } from '../parts/table.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { AccountRoutes } from '../section.ts';
import type { AccountContext } from '../request-context.ts';
import { accountTabs, tabName } from './tabs.ts';
import { sessionsMessages, browserMessages } from './messages.ts';

export function mountSessions(routes: AccountRoutes, { db, signIn }: ConsoleDeps): void {
  routes.page('/account/sessions', async (context) => {
    const { account, now } = context;
    const [sessions, records, currentId] = await Promise.all([
      listSessions(db, account.id, now),
      listSignInRecords(db, account.id),
      currentSessionId(db, context),
    ]);
    return showSessions(context, sessions, records, currentId);
  });

  routes.action('/account/sessions/:id/end', async (context) => {
    const { account, now, actor, params } = context;
    const { id } = params;
    if (!isUuid(id)) return NOT_FOUND;
    const currentId = await currentSessionId(db, context);
    const hasEnded = await db.transaction(
      async (tx) => await endSessionById(tx, account.id, id, now, actor),
    );
    if (!hasEnded) return NOT_FOUND;
    if (id === currentId) return redirectTo('/signin', null, [signIn.cookie.clear()]);
    return redirectTo('/console/account/sessions', 'session_ended');
  });

  routes.action('/account/sessions/end-others', async (context) => {
    const { account, now, actor } = context;
    const currentId = await currentSessionId(db, context);
    const ended = await db.transaction(
      async (tx) => await endOtherSessions(tx, account.id, currentId, now, actor),
    );
    return redirectTo('/console/account/sessions', ended === 0 ? 'unchanged' : 'sessions_ended');
  });

  routes.action('/account/sessions/end-all', async ({ account, now, actor }) => {
    await db.transaction(async (tx) => await endSessionsOfAccount(tx, account.id, now, actor));
    return redirectTo('/signin', null, [signIn.cookie.clear()]);
  });
}

/** @throws ConsoleRefusal `sign_in` when the session ended after the request was authorized */
export async function currentSessionId(
  db: ConsoleDeps['db'],
  { sessionSecret, now }: AccountContext,
): Promise<string> {
  const session = await findSession(db, sessionSecret, now);
  if (session === undefined) throw new ConsoleRefusal({ kind: 'sign_in', next: null });
  return session.id;
}

function showSessions(
  context: AccountContext,
  sessions: readonly ListedSession[],
  records: readonly SignInRecord[],
  currentId: string,
): ConsoleResponse {
  const { language } = context;
  const messages = sessionsMessages[language];
  const content = html`${accountTabs(language, 'sessions')}
    <section class="sheet">
      <p>${messages.intro}</p>
      ${renderSessions(context, sessions, currentId)}
      <p class="hint above">${messages.allText}</p>
      <div class="actions">
        ${
          sessions.length < 2
            ? ''
            : actionButton(context, {
                action: '/console/account/sessions/end-others',
                label: messages.others,
                kind: 'first',
              })
        }
        ${actionButton(context, {
          action: '/console/account/sessions/end-all',
          label: messages.all,
          kind: 'danger',
        })}
      </div>
    </section>
    <section class="sheet">
      <h2>${messages.records}</h2>
      <p>${messages.recordsIntro}</p>
      ${renderRecords(context, records)}
    </section>`;
  return showPage({ title: tabName(language, 'sessions'), section: null, content });
}

function renderSessions(
  context: AccountContext,
  sessions: readonly ListedSession[],
  currentId: string,
): Markup | '' {
  const { language, format } = context;
  const messages = sessionsMessages[language];
  const nameOf = ({ browser }: ListedSession): string => browserName(browser, language);
  return table({
    caption: messages.caption,
    rows: sessions,
    columns: [
      [
        messages.browser,
        (session) =>
          html`${nameOf(session)} ${session.id === currentId ? badge(messages.here, 'good') : ''}`,
      ],
      ...signInColumns(language),
      [messages.since, ({ createdAt }) => format.ago(createdAt)],
      [messages.lastSeen, ({ lastSeenAt }) => format.ago(lastSeenAt)],
      [
        messages.actions,
        (session) =>
          actionButton(context, {
            action: `/console/account/sessions/${session.id}/end`,
            label: messages.signOut,
            about: nameOf(session),
          }),
        'buttons',
      ],
    ],
  });
}

function signInColumns(language: Language): readonly Column<ListedSession | SignInRecord>[] {
  const messages = sessionsMessages[language];
  return [
    [messages.network, ({ network }) => (network === 'unknown' ? messages.notKnown : network)],
    [messages.way, ({ way }) => (way === 'passkey' ? messages.passkey : messages.password)],
  ];
}

function renderRecords(
  { language, format }: AccountContext,
  records: readonly SignInRecord[],
): Markup | '' {
  const messages = sessionsMessages[language];
  return table({
    caption: messages.records,
    rows: records,
    columns: [
      [messages.when, ({ lastAt }) => format.dateTime(lastAt)],
      [
        messages.outcome,
        ({ outcome }) =>
          outcome === 'failed' ? badge(messages.failed, 'warn') : badge(messages.signedIn, 'good'),
      ],
      ...signInColumns(language),
      [messages.browser, ({ browser }) => browserName(browser, language)],
      [messages.times, ({ attempts }) => format.number(attempts)],
    ],
    empty: html`<p>${messages.noRecords}</p>`,
  });
}

/** The order matters: the `User-Agent` of a browser also contains tokens of later browsers. */
const BROWSERS = [
  ['Edg', 'Microsoft Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'Mac'],
  ['Linux', 'Linux'],
] as const;

/** The name only helps people to recognize a session, because a client can send any value. */
function browserName(userAgent: string, language: Language): string {
  const messages = browserMessages[language];
  const browser = BROWSERS.find(([sign]) => userAgent.includes(`${sign}/`))?.[1];
  const system = SYSTEMS.find(([sign]) => userAgent.includes(sign))?.[1];
  if (browser === undefined) return system ?? messages.unknown;
  return system === undefined ? browser : messages.on(browser, system);
}
