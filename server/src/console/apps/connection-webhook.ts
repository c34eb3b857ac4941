import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { ConnectionDetails } from '../../webhooks/connection-details.ts';
import { actionButton } from '../parts/button.ts';
import { descriptionList } from '../parts/notes.ts';
import { removalText, renderWebhookState, webhookDescription } from '../parts/webhook-state.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { attemptDetails, attemptStrip } from './attempt-strip.ts';
import { renderTestDelivery } from './delivery-progress.ts';
import { connectionWebhookMessages } from './messages/delivery.ts';

/** Renders the state of a connection's webhook and its last attempts. Secrets are never shown. */
export function renderConnectionWebhook(
  context: RequestContext,
  connection: ConnectionDetails,
  {
    attempts,
    chosen,
  }: {
    readonly attempts: readonly LoggedAttempt[];
    readonly chosen: LoggedAttempt | undefined;
  },
): Markup {
  const { language, format } = context;
  const messages = connectionWebhookMessages[language];
  const path = context.shopPath(`/connections/${connection.id}`);
  const { webhook, removedWebhook, status } = connection;
  const eventId = parseUuid(context.query['notice']);
  const list =
    attempts.length === 0
      ? html`<p class="soft">${messages.noAttempts}</p>`
      : html`${attemptStrip(context, path, attempts, chosen)}
          ${chosen === undefined ? '' : attemptDetails(context, chosen)}
          <p><a href="${path}/attempts">${messages.all}</a></p>`;
  const past =
    removedWebhook === null
      ? ''
      : html`<h3>${messages.before}</h3>
          ${descriptionList([
            [messages.url, html`<code>${removedWebhook.url}</code>`],
            [messages.removed, format.dateTime(removedWebhook.removedAt)],
          ])}
          <p>${removalText(removedWebhook.reason, language)}</p>`;
  return html`<section class="sheet" id="webhook">
    <h2>${messages.webhook}</h2>
    ${status === 'active' ? html`<p>${webhookDescription(connection, language)}</p>` : ''}
    ${webhook === null ? '' : renderFacts(context, connection, webhook)} ${past}
    ${webhook === null && attempts.length === 0 ? '' : html`<h3>${messages.attempts}</h3>`}
    ${webhook === null && attempts.length === 0 ? '' : list}
    ${eventId === null ? '' : renderTestDelivery(context, connection.id, eventId, attempts)}
    ${
      webhook === null || !connection.app.isEnabled
        ? ''
        : html`<p class="soft small">${messages.sendText}</p>
            ${actionButton(context, { action: `${path}/notice`, label: messages.send, icon: 'bell' })}`
    }
  </section>`;
}

function renderFacts(
  { language, format, now }: RequestContext,
  connection: ConnectionDetails,
  webhook: NonNullable<ConnectionDetails['webhook']>,
): Markup {
  const messages = connectionWebhookMessages[language];
  const { url, createdAt, failingSince, failures, nextAttemptAt } = webhook;
  const pairs: (readonly [string, Markup | string])[] = [
    [messages.url, html`<code>${url}</code>`],
    [messages.state, renderWebhookState(connection, format)],
    [messages.registered, format.dateTime(createdAt)],
  ];
  if (failingSince !== null) {
    pairs.push([messages.failingSince, format.ago(failingSince)]);
    pairs.push([messages.failures, format.number(failures)]);
  }
  if (nextAttemptAt !== null) {
    pairs.push([messages.next, nextAttemptAt > now ? format.ago(nextAttemptAt) : messages.atOnce]);
  }
  return descriptionList(pairs);
}
