import { html } from 'hono/html';
import { type AppSecret, listAppSecrets } from '../../apps/app-secret.ts';
import type { App } from '../../apps/app.ts';
import {
  type ConnectionOfApp,
  listConnectionsOfApp,
} from '../../connections/connections-of-app.ts';
import { isAppApproved } from '../../grants/approval-in-force.ts';
import type { MessagesOf } from '../../pages/messages.ts';
import type { Markup } from '../../pages/page.ts';
import { findConnection, type ShownConnection } from '../../webhooks/shown-connection.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { healthBadge, healthOf, lagText, lastReadText } from '../parts/app-health.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { emptyState, facts, note } from '../parts/notes.ts';
import { scopeList } from '../parts/scope-words.ts';
import { renderWebhookState } from '../parts/webhook-state.ts';
import type { Visit } from '../visit.ts';
import { copyableValue, developerBlock } from './developer-lines.ts';
import { appMessages } from './messages/app.ts';

export async function showApp(
  { db, publicUrl }: ConsoleDeps,
  visit: Visit,
  app: App,
): Promise<ConsoleAnswer> {
  const { shop, now, language } = visit;
  const { clientId, scopes } = app;
  const [[newest], secrets, isApproved] = await Promise.all([
    listConnectionsOfApp(db, shop.id, clientId, { before: null, limit: 1 }),
    listAppSecrets(db, shop.id, clientId),
    isAppApproved(db, shop.id, clientId, now),
  ]);
  const connection = await findActive(newest, async (id) => findConnection(db, shop.id, id, now));
  const messages = appMessages[language];
  const path = visit.path(`/apps/${clientId}`);
  const facts = healthFacts(connection, isApproved);
  const health = healthOf({ isEnabled: app.isEnabled, connection: facts }, now);
  return showPage({
    title: app.name,
    section: 'apps',
    back: { href: visit.path('/apps'), label: messages.apps },
    tools: html`${healthBadge(health, language)}
    ${linkButton({ href: `${path}/edit`, label: messages.edit })}`,
    content: html`${app.isEnabled ? '' : note('warn', messages.disabled)}
      <div class="grid two">
        ${renderConnection(visit, path, connection, newest !== undefined)}
        ${renderSecrets(messages, path, secrets)}
      </div>
      ${renderAllowed(visit, app)} ${renderRegistration(visit, app)}
      <section class="sheet">
        <h2>${messages.lines}</h2>
        <p>${messages.linesText}</p>
        ${developerBlock({ publicUrl, clientId, clientSecret: null, scopes }, language)}
      </section>
      ${renderEnd(visit, app, path)}`,
  });
}

async function findActive(
  newest: ConnectionOfApp | undefined,
  find: (id: string) => Promise<ShownConnection | undefined>,
): Promise<ShownConnection | undefined> {
  // An active connection is always the newest of its app.
  return newest?.status === 'active' ? await find(newest.id) : undefined;
}

function healthFacts(
  connection: ShownConnection | undefined,
  isApproved: boolean,
): Parameters<typeof healthOf>[0]['connection'] {
  if (connection === undefined) return null;
  const { connectedAt, lag, webhook } = connection;
  return {
    connectedAt,
    isApproved,
    lagChanges: lag.changes,
    lastReadAt: lag.lastReadAt,
    failingSince: webhook?.failingSince ?? null,
  };
}

function renderConnection(
  visit: Visit,
  path: string,
  connection: ShownConnection | undefined,
  wasConnected: boolean,
): Markup {
  const { language, format } = visit;
  const messages = appMessages[language];
  const links = html`<div class="actions">
    ${connection === undefined ? '' : linkButton({ href: visit.path(`/connections/${connection.id}`), label: messages.open, kind: 'first' })}
    ${wasConnected ? linkButton({ href: `${path}/connections`, label: messages.past }) : ''}
  </div>`;
  if (connection === undefined) {
    return html`<section class="sheet">
      <h2>${messages.connection}</h2>
      ${emptyState(messages.none, messages.noneText)} ${links}
    </section>`;
  }
  const { user, connectedAt, lag } = connection;
  const lagFacts = { lagChanges: lag.changes, lastReadAt: lag.lastReadAt };
  return html`<section class="sheet">
    <h2>${messages.connection}</h2>
    ${facts([
      [messages.by, user.name],
      [messages.connectedAt, format.dateTime(connectedAt)],
      [messages.lag, lagText(lagFacts, format)],
      [messages.lastRead, lastReadText(lag.lastReadAt, format)],
      [messages.webhook, renderWebhookState(connection, format)],
    ])}
    ${links}
  </section>`;
}

function renderSecrets(
  messages: MessagesOf<typeof appMessages>,
  path: string,
  secrets: readonly AppSecret[],
): Markup {
  return html`<section class="sheet">
    <h2>${messages.secrets}</h2>
    <p>${messages.secretsText(secrets.length)}</p>
    <div class="actions">${linkButton({ href: `${path}/secrets`, label: messages.change })}</div>
  </section>`;
}

function renderAllowed(visit: Visit, app: App): Markup {
  const { language } = visit;
  const messages = appMessages[language];
  return html`<section class="sheet">
    <h2>${messages.sees}</h2>
    ${scopeList(app.scopes, language)}
    ${facts([[messages.cost, app.sharesCost ? messages.costYes : messages.costNo]])}
  </section>`;
}

function renderRegistration(visit: Visit, app: App): Markup {
  const { language, format } = visit;
  const messages = appMessages[language];
  const { clientId, contactEmail, redirectUris, createdAt } = app;
  const contact =
    contactEmail === null
      ? html`<span class="soft">${messages.noContact}</span>`
      : html`<a href="mailto:${contactEmail}">${contactEmail}</a>`;
  return html`<section class="sheet">
    <h2>${messages.registration}</h2>
    ${facts([
      [messages.clientId, copyableValue(clientId, language, messages.clientId)],
      [messages.contact, contact],
      [messages.registered, format.dateTime(createdAt)],
      [
        messages.redirectUris,
        html`<ul class="plain-list">
          ${redirectUris.map((uri) => html`<li><code>${uri}</code></li>`)}
        </ul>`,
      ],
    ])}
    <div class="actions">
      ${linkButton({ href: `${visit.path('/apps/approvals')}?app=${clientId}`, label: messages.approvals })}
    </div>
  </section>`;
}

function renderEnd(visit: Visit, app: App, path: string): Markup {
  const messages = appMessages[visit.language];
  const toggle = app.isEnabled
    ? html`<p>${messages.disableText}</p>
        ${linkButton({ href: `${path}/disable`, label: messages.disable })}`
    : html`<p>${messages.enableText}</p>
        ${actionButton(visit, { action: `${path}/enable`, label: messages.enable })}`;
  return html`<section class="sheet">
    <h2>${messages.end}</h2>
    <div class="grid two">
      <div>${toggle}</div>
      <div>
        <p>${messages.removeText}</p>
        ${linkButton({ href: `${path}/delete`, label: messages.remove, kind: 'danger' })}
      </div>
    </div>
  </section>`;
}
