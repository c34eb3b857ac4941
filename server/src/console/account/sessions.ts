import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import {
  endOtherSessions,
  endSessionOfId,
  type ListedSession,
  listSessions,
} from '../../shops/session-list.ts';
import { endSessionsOf, findSession } from '../../shops/session.ts';
import { listSignInRecords, type SignInRecord } from '../../shops/sign-in-record.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton } from '../parts/button.ts';
import { type Column, table } from '../parts/table.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';
import { browserName } from './browser-name.ts';
import { accountTabs, tabName } from './tabs.ts';
import { sessionsMessages } from './messages.ts';

/** Mounts a person's open sessions: list them, end one, all others, or all. */
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
 * The id of this browser's session.
 *
 * @throws ConsoleRefusal `sign_in` when the session ended after the request was authorized
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
  const messages = sessionsMessages[language];
  const content = html`${accountTabs(language, 'sessions')}
    <section class="sheet">
      <p>${messages.intro}</p>
      ${renderSessions(visitor, sessions, ownId)}
      <p class="hint above">${messages.allText}</p>
      <div class="actions">
        ${
          sessions.length < 2
            ? ''
            : actionButton(visitor, {
                action: '/console/account/sessions/end-others',
                label: messages.others,
                kind: 'first',
              })
        }
        ${actionButton(visitor, {
          action: '/console/account/sessions/end-all',
          label: messages.all,
          kind: 'danger',
        })}
      </div>
    </section>
    <section class="sheet">
      <h2>${messages.records}</h2>
      <p>${messages.recordsIntro}</p>
      ${renderRecords(visitor, records)}
    </section>`;
  return showPage({ title: tabName(language, 'sessions'), section: null, content });
}

function renderSessions(
  visitor: Visitor,
  sessions: readonly ListedSession[],
  ownId: string,
): Markup | '' {
  const { language, format } = visitor;
  const messages = sessionsMessages[language];
  const nameOf = ({ browser }: ListedSession): string => browserName(browser, language);
  return table({
    caption: messages.caption,
    rows: sessions,
    columns: [
      [
        messages.browser,
        (session) =>
          html`${nameOf(session)} ${session.id === ownId ? badge(messages.here, 'good') : ''}`,
      ],
      ...wayColumns(language),
      [messages.since, ({ createdAt }) => format.ago(createdAt)],
      [messages.lastSeen, ({ lastSeenAt }) => format.ago(lastSeenAt)],
      [
        messages.actions,
        (session) =>
          actionButton(visitor, {
            action: `/console/account/sessions/${session.id}/end`,
            label: messages.signOut,
            about: nameOf(session),
          }),
        'buttons',
      ],
    ],
  });
}

/** Where and how a sign-in happened. */
function wayColumns(language: Language): readonly Column<ListedSession | SignInRecord>[] {
  const messages = sessionsMessages[language];
  return [
    [messages.network, ({ network }) => (network === 'unknown' ? messages.notKnown : network)],
    [messages.way, ({ way }) => (way === 'passkey' ? messages.passkey : messages.password)],
  ];
}

function renderRecords(
  { language, format }: Visitor,
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
      ...wayColumns(language),
      [messages.browser, ({ browser }) => browserName(browser, language)],
      [messages.times, ({ attempts }) => format.number(attempts)],
    ],
    empty: html`<p>${messages.noRecords}</p>`,
  });
}
