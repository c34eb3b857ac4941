import { html } from 'hono/html';
import { type App, findApp } from '../../apps/app.ts';
import type { Queryable } from '../../database/database.ts';
import { scopesInForce } from '../../grants/approval-in-force.ts';
import { listApprovalsOfConnection, type ShownApproval } from '../../grants/approval-list.ts';
import type { Markup } from '../../pages/page.ts';
import { listAttempts, type LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { ShownConnection } from '../../webhooks/shown-connection.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { lagText, lastReadText } from '../parts/app-health.ts';
import { badge } from '../parts/badge.ts';
import { linkButton } from '../parts/button.ts';
import { facts, note } from '../parts/notes.ts';
import { scopeList } from '../parts/scope-words.ts';
import { numberOf } from '../query.ts';
import type { Visit } from '../visit.ts';
import { renderApprovals } from './approvals.ts';
import { STRIP_ATTEMPTS } from './attempt-strip.ts';
import { renderConnectionWebhook } from './connection-webhook.ts';
import { connectionEndMessages, connectionMessages } from './messages/connection.ts';

/** The page of the app links to all of them. */
const APPROVALS_SHOWN = 10;
/**
 * Approvals read to work out what the app may do. When an app has more, most of them have ended.
 */
const APPROVALS_READ = 200;
/** The data of the page other than the connection. */
interface Around {
  readonly app: App | undefined;
  readonly approvals: readonly ShownApproval[];
  readonly attempts: readonly LoggedAttempt[];
  readonly chosen: LoggedAttempt | undefined;
}

/** The page of a connection; with a `fault` it explains why an action failed (422). */
export async function showConnection(
  { db }: ConsoleDeps,
  visit: Visit,
  connection: ShownConnection,
  fault: string | null = null,
): Promise<ConsoleAnswer> {
  const around = await readAround(db, visit, connection);
  const { app, approvals } = around;
  const { language } = visit;
  const messages = connectionMessages[language];
  const isActive = connection.status === 'active';
  const isAppThere = app?.removedAt === null;
  return showPage({
    title: messages.title(connection.app.name),
    section: 'apps',
    status: fault === null ? 200 : 422,
    scripts: ['notice'],
    back: isAppThere
      ? { href: visit.path(`/apps/${app.clientId}`), label: app.name }
      : { href: visit.path('/apps'), label: messages.app },
    content: html`${fault === null ? '' : html`<div role="alert">${note('bad', fault)}</div>`}
    ${isActive ? '' : note('calm', messages.over)} ${renderFacts(visit, connection)}
    ${renderConnectionWebhook(visit, connection, around)}
    ${renderMay(visit, connection, app, approvals)} ${isActive ? renderEnd(visit, connection) : ''}`,
  });
}

async function readAround(
  db: Queryable,
  { shop, query, now }: Visit,
  { id, app }: ShownConnection,
): Promise<Around> {
  const newest = { before: null, limit: STRIP_ATTEMPTS };
  const [found, approvals, attempts = []] = await Promise.all([
    findApp(db, app.clientId),
    listApprovalsOfConnection(db, shop.id, id, APPROVALS_READ, now),
    listAttempts(db, shop.id, id, newest),
  ]);
  const number = numberOf(query['attempt']);
  const chosen = attempts.find((attempt) => attempt.number === number);
  // Show the details of a current failure without a click.
  const [last] = attempts;
  const shown = chosen ?? (last?.result === 'failed' ? last : undefined);
  return { app: found, approvals, attempts, chosen: shown };
}

function renderFacts(visit: Visit, connection: ShownConnection): Markup {
  const { language, format } = visit;
  const messages = connectionMessages[language];
  const { status, app, user, connectedAt, endedAt, endReason, lag } = connection;
  const isActive = status === 'active';
  const state = !isActive
    ? badge(messages.ended)
    : app.isEnabled
      ? badge(messages.active, 'good')
      : badge(messages.disabled, 'warn');
  const lagFacts = { lagChanges: lag.changes, lastReadAt: lag.lastReadAt };
  const pairs: (readonly [string, Markup | string])[] = [
    [messages.app, app.name],
    [messages.state, state],
    [messages.by, html`${user.name} <span class="soft small">${user.email}</span>`],
    [messages.connectedAt, format.dateTime(connectedAt)],
  ];
  if (isActive) pairs.push([messages.lag, lagText(lagFacts, format)]);
  pairs.push([messages.lastRead, lastReadText(lag.lastReadAt, format)]);
  if (endedAt !== null) pairs.push([messages.until, format.dateTime(endedAt)]);
  if (endReason !== null) {
    pairs.push([messages.why, connectionEndMessages[language].connection[endReason]]);
  }
  return html`<section class="sheet">
    <h2>${messages.fact}</h2>
    ${facts(pairs)}
  </section>`;
}

/**
 * What a token of this connection may do: the scopes of its approvals that the shop still allows
 * (decision 0003).
 */
function renderMay(
  visit: Visit,
  { status }: ShownConnection,
  app: App | undefined,
  approvals: readonly ShownApproval[],
): Markup {
  const { language } = visit;
  const messages = connectionMessages[language];
  const scopes = scopesInForce(approvals).filter((scope) => app?.scopes.includes(scope));
  const opens = scopes.includes('inventory:read') || scopes.includes('purchase-boosts:read');
  const may = opens ? scopeList(scopes, language) : note('bad', messages.mayNothing);
  const all = app === undefined ? '' : `${visit.path('/apps/approvals')}?app=${app.clientId}`;
  return html`${
      status === 'active'
        ? html`<section class="sheet">
            <h2>${messages.may}</h2>
            ${may}
          </section>`
        : ''
    }
    <section class="sheet">
      <h2>${messages.approvals}</h2>
      ${renderApprovals(visit, approvals.slice(0, APPROVALS_SHOWN))}
      ${all === '' ? '' : html`<p><a href="${all}">${messages.allApprovals}</a></p>`}
    </section>`;
}

function renderEnd(visit: Visit, { id }: ShownConnection): Markup {
  const messages = connectionMessages[visit.language];
  return html`<section class="sheet">
    <h2>${messages.end}</h2>
    <p>${messages.endMeans}</p>
    ${linkButton({ href: visit.path(`/connections/${id}/end`), label: messages.endWord, kind: 'danger' })}
  </section>`;
}
