import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { ShownConnection } from '../../webhooks/shown-connection.ts';
import { actionButton } from '../parts/button.ts';
import { facts } from '../parts/notes.ts';
import { removalText, renderWebhookState, webhookMeaning } from '../parts/webhook-state.ts';
import { uuidOf } from '../query.ts';
import type { Visit } from '../visit.ts';
import { attemptDetails, attemptStrip } from './attempt-strip.ts';
import { renderNotice } from './notice-progress.ts';
import { connectionWebhookMessages } from './messages/delivery.ts';

/** The state of a connection's webhook and its last attempts. Shows no secret. */
export function renderConnectionWebhook(
  visit: Visit,
  connection: ShownConnection,
  {
    attempts,
    chosen,
  }: {
    readonly attempts: readonly LoggedAttempt[];
    readonly chosen: LoggedAttempt | undefined;
  },
): Markup {
  const { language, format } = visit;
  const messages = connectionWebhookMessages[language];
  const path = visit.path(`/connections/${connection.id}`);
  const { webhook, removedWebhook, status } = connection;
  const eventId = uuidOf(visit.query['notice']);
  const list =
    attempts.length === 0
      ? html`<p class="soft">${messages.noAttempts}</p>`
      : html`${attemptStrip(visit, path, attempts, chosen)}
          ${chosen === undefined ? '' : attemptDetails(visit, chosen)}
          <p><a href="${path}/attempts">${messages.all}</a></p>`;
  const past =
    removedWebhook === null
      ? ''
      : html`<h3>${messages.before}</h3>
          ${facts([
            [messages.url, html`<code>${removedWebhook.url}</code>`],
            [messages.removed, format.dateTime(removedWebhook.removedAt)],
          ])}
          <p>${removalText(removedWebhook.reason, language)}</p>`;
  return html`<section class="sheet">
    <h2>${messages.webhook}</h2>
    ${status === 'active' ? html`<p>${webhookMeaning(connection, language)}</p>` : ''}
    ${webhook === null ? '' : renderFacts(visit, connection, webhook)} ${past}
    ${webhook === null && attempts.length === 0 ? '' : html`<h3>${messages.attempts}</h3>`}
    ${webhook === null && attempts.length === 0 ? '' : list}
    ${eventId === null ? '' : renderNotice(visit, connection.id, eventId, attempts)}
    ${
      webhook === null || !connection.app.isEnabled
        ? ''
        : html`<p class="soft small">${messages.sendText}</p>
            ${actionButton(visit, { action: `${path}/notice`, label: messages.send, icon: 'bell' })}`
    }
  </section>`;
}

function renderFacts(
  { language, format, now }: Visit,
  connection: ShownConnection,
  webhook: NonNullable<ShownConnection['webhook']>,
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
  return facts(pairs);
}
