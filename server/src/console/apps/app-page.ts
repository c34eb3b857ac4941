import { html } from 'hono/html';
import { type AppSecret, listAppSecrets } from '../../apps/app-secret.ts';
import type { App } from '../../apps/app.ts';
import {
  type ConnectionOfApp,
  listConnectionsOfApp,
} from '../../connections/connections-of-app.ts';
import { isAppApproved } from '../../approvals/approval-in-force.ts';
import type { MessagesOf } from '../../html/messages.ts';
import type { Markup } from '../../html/page.ts';
import { findConnection, type ConnectionDetails } from '../../webhooks/connection-details.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { healthBadge, healthOf, lagText, lastReadText } from '../parts/app-health.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { emptyState, descriptionList, callout } from '../parts/notes.ts';
import { scopeList } from '../parts/scope-text.ts';
import { renderWebhookState } from '../parts/webhook-state.ts';
import type { RequestContext } from '../request-context.ts';
import { copyableValue } from '../parts/copyable.ts';
import { environmentBlock } from './environment-file.ts';
import { appMessages } from './messages/app.ts';

export async function showApp(
  { db, publicUrl }: ConsoleDeps,
  context: RequestContext,
  app: App,
): Promise<ConsoleResponse> {
  const { shop, now, language } = context;
  const { clientId, scopes } = app;
  const [[newest], secrets, isApproved] = await Promise.all([
    listConnectionsOfApp(db, shop.id, clientId, { before: null, limit: 1 }),
    listAppSecrets(db, shop.id, clientId),
    isAppApproved(db, shop.id, clientId, now),
  ]);
  const connection = await findActiveConnection(newest, async (id) =>
    findConnection(db, shop.id, id, now),
  );
  const messages = appMessages[language];
  const path = context.shopPath(`/apps/${clientId}`);
  const facts = healthFacts(connection, isApproved);
  const health = healthOf({ isEnabled: app.isEnabled, connection: facts }, now);
  return showPage({
    title: app.name,
    section: 'apps',
    back: { href: context.shopPath('/apps'), label: messages.apps },
    headerActions: html`${healthBadge(health, language)}
    ${linkButton({ href: `${path}/edit`, label: messages.edit })}`,
    content: html`${app.isEnabled ? '' : callout('warn', messages.disabled)}
      <div class="grid two">
        ${renderConnection(context, path, connection, newest !== undefined)}
        ${renderSecrets(messages, path, secrets)}
      </div>
      ${renderAllowed(context, app)} ${renderRegistration(context, app)}
      <section class="sheet">
        <h2>${messages.lines}</h2>
        <p>${messages.linesText}</p>
        ${environmentBlock({ publicUrl, clientId, clientSecret: null, scopes }, language)}
      </section>
      ${renderEnd(context, app, path)}`,
  });
}

async function findActiveConnection(
  newest: ConnectionOfApp | undefined,
  find: (id: string) => Promise<ConnectionDetails | undefined>,
): Promise<ConnectionDetails | undefined> {
  // An active connection is always the newest of its app.
  return newest?.status === 'active' ? await find(newest.id) : undefined;
}

function healthFacts(
  connection: ConnectionDetails | undefined,
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
  context: RequestContext,
  path: string,
  connection: ConnectionDetails | undefined,
  wasConnected: boolean,
): Markup {
  const { language, format } = context;
  const messages = appMessages[language];
  const links = html`<div class="actions">
    ${connection === undefined ? '' : linkButton({ href: context.shopPath(`/connections/${connection.id}`), label: messages.open, kind: 'first' })}
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
    ${descriptionList([
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

function renderAllowed(context: RequestContext, app: App): Markup {
  const { language } = context;
  const messages = appMessages[language];
  return html`<section class="sheet">
    <h2>${messages.sees}</h2>
    ${scopeList(app.scopes, language)}
    ${descriptionList([[messages.cost, app.sharesCost ? messages.costYes : messages.costNo]])}
  </section>`;
}

function renderRegistration(context: RequestContext, app: App): Markup {
  const { language, format } = context;
  const messages = appMessages[language];
  const { clientId, contactEmail, redirectUris, createdAt } = app;
  const contact =
    contactEmail === null
      ? html`<span class="soft">${messages.noContact}</span>`
      : html`<a href="mailto:${contactEmail}">${contactEmail}</a>`;
  return html`<section class="sheet">
    <h2>${messages.registration}</h2>
    ${descriptionList([
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
      ${linkButton({ href: `${context.shopPath('/apps/approvals')}?app=${clientId}`, label: messages.approvals })}
    </div>
  </section>`;
}

function renderEnd(context: RequestContext, app: App, path: string): Markup {
  const messages = appMessages[context.language];
  const toggle = app.isEnabled
    ? html`<p>${messages.disableText}</p>
        ${linkButton({ href: `${path}/disable`, label: messages.disable })}`
    : html`<p>${messages.enableText}</p>
        ${actionButton(context, { action: `${path}/enable`, label: messages.enable })}`;
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
