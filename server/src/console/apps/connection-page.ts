import { html } from 'hono/html';
import { type App, findApp } from '../../apps/app.ts';
import type { Queryable } from '../../database/database.ts';
import { scopesInForce } from '../../approvals/approval-in-force.ts';
import { listApprovalsOfConnection, type ListedApproval } from '../../approvals/approval-list.ts';
import type { Markup } from '../../html/page.ts';
import { listAttempts, type LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { ConnectionDetails } from '../../webhooks/connection-details.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { lagText, lastReadText } from '../parts/app-health.ts';
import { badge } from '../parts/badge.ts';
import { linkButton } from '../parts/button.ts';
import { descriptionList, callout } from '../parts/notes.ts';
import { scopeList } from '../parts/scope-text.ts';
import { parseNumber } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { renderApprovals } from './approvals.ts';
import { STRIP_ATTEMPTS } from './attempt-strip.ts';
import { renderConnectionWebhook } from './connection-webhook.ts';
import { connectionEndMessages, connectionMessages } from './messages/connection.ts';

/** The number of approvals on this page, which links to the complete list. */
const APPROVALS_SHOWN = 10;
/** Loaded to compute the app's access. If an app has more approvals, most of them have ended. */
const APPROVALS_READ = 200;
/** The data that the page shows in addition to the connection. */
interface RelatedData {
  readonly app: App | undefined;
  readonly approvals: readonly ListedApproval[];
  readonly attempts: readonly LoggedAttempt[];
  readonly chosen: LoggedAttempt | undefined;
}

/**
 * Shows the page of a connection. With an `error`, the page has status 422 and explains why an
 * action failed.
 */
export async function showConnection(
  { db }: ConsoleDeps,
  context: RequestContext,
  connection: ConnectionDetails,
  error: string | null = null,
): Promise<ConsoleResponse> {
  const related = await readRelatedData(db, context, connection);
  const { app, approvals } = related;
  const { language } = context;
  const messages = connectionMessages[language];
  const isActive = connection.status === 'active';
  const hasApp = app?.removedAt === null;
  return showPage({
    title: messages.title(connection.app.name),
    section: 'apps',
    status: error === null ? 200 : 422,
    scripts: ['delivery-progress'],
    back: hasApp
      ? { href: context.shopPath(`/apps/${app.clientId}`), label: app.name }
      : { href: context.shopPath('/apps'), label: messages.app },
    content: html`${error === null ? '' : html`<div role="alert">${callout('bad', error)}</div>`}
    ${isActive ? '' : callout('calm', messages.over)} ${renderFacts(context, connection)}
    ${renderConnectionWebhook(context, connection, related)}
    ${renderAccess(context, connection, app, approvals)}
    ${isActive ? renderEnd(context, connection) : ''}`,
  });
}

async function readRelatedData(
  db: Queryable,
  { shop, query, now }: RequestContext,
  { id, app }: ConnectionDetails,
): Promise<RelatedData> {
  const newest = { before: null, limit: STRIP_ATTEMPTS };
  const [found, approvals, attempts = []] = await Promise.all([
    findApp(db, app.clientId),
    listApprovalsOfConnection(db, shop.id, id, APPROVALS_READ, now),
    listAttempts(db, shop.id, id, newest),
  ]);
  const number = parseNumber(query['attempt']);
  const chosen = attempts.find((attempt) => attempt.number === number);
  // Show the details of a current failure without a click.
  const [last] = attempts;
  const shown = chosen ?? (last?.result === 'failed' ? last : undefined);
  return { app: found, approvals, attempts, chosen: shown };
}

function renderFacts(context: RequestContext, connection: ConnectionDetails): Markup {
  const { language, format } = context;
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
    ${descriptionList(pairs)}
  </section>`;
}

/**
 * Renders the access of this connection's tokens: the scopes of its approvals that the shop still
 * allows (decision 0003).
 */
function renderAccess(
  context: RequestContext,
  { status }: ConnectionDetails,
  app: App | undefined,
  approvals: readonly ListedApproval[],
): Markup {
  const { language } = context;
  const messages = connectionMessages[language];
  const scopes = scopesInForce(approvals).filter((scope) => app?.scopes.includes(scope));
  const hasDataScope = scopes.includes('inventory:read') || scopes.includes('purchase-boosts:read');
  const access = hasDataScope ? scopeList(scopes, language) : callout('bad', messages.mayNothing);
  const all = app === undefined ? '' : `${context.shopPath('/apps/approvals')}?app=${app.clientId}`;
  return html`${
      status === 'active'
        ? html`<section class="sheet">
            <h2>${messages.may}</h2>
            ${access}
          </section>`
        : ''
    }
    <section class="sheet">
      <h2>${messages.approvals}</h2>
      ${renderApprovals(context, approvals.slice(0, APPROVALS_SHOWN))}
      ${all === '' ? '' : html`<p><a href="${all}">${messages.allApprovals}</a></p>`}
    </section>`;
}

function renderEnd(context: RequestContext, { id }: ConnectionDetails): Markup {
  const messages = connectionMessages[context.language];
  return html`<section class="sheet">
    <h2>${messages.end}</h2>
    <p>${messages.endMeans}</p>
    ${linkButton({ href: context.shopPath(`/connections/${id}/end`), label: messages.endWord, kind: 'danger' })}
  </section>`;
}
