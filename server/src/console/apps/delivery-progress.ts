import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import { errorText, remedyText } from '../parts/attempt-text.ts';
import { callout } from '../parts/notes.ts';
import { withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { latencyText } from './attempt-strip.ts';
import { deliveryProgressMessages } from './messages/delivery.ts';

/**
 * Renders the result of a test delivery. A script polls for the result; without scripts, a link
 * reloads the page.
 */
export function renderTestDelivery(
  context: RequestContext,
  connectionId: string,
  eventId: string,
  attempts: readonly LoggedAttempt[],
): Markup {
  const source = withQuery(context.shopPath(`/connections/${connectionId}/notice`), {
    event: eventId,
  });
  return html`<div
    id="notice"
    role="status"
    data-poll="${source}"
    data-slow="${deliveryProgressMessages[context.language].slow}"
  >
    ${renderDeliveryProgress(context, connectionId, eventId, attempts)}
  </div>`;
}

/** Renders only the progress, as an HTML fragment for the script. */
export function renderDeliveryProgress(
  context: RequestContext,
  connectionId: string,
  eventId: string,
  attempts: readonly LoggedAttempt[],
): Markup {
  const { language } = context;
  const messages = deliveryProgressMessages[language];
  const attempt = attempts.find((each) => each.eventId === eventId);
  if (attempt === undefined || attempt.result === 'in_progress') {
    const path = context.shopPath(`/connections/${connectionId}`);
    const again = `${withQuery(path, { notice: eventId })}#notice`;
    return callout(
      'calm',
      html`<p>${attempt === undefined ? messages.waits : messages.sent}</p>
        <p><a href="${again}">${messages.again}</a></p>`,
    );
  }
  const { status, error } = attempt;
  const content =
    error === null
      ? html`<p data-done>${messages.delivered(String(status), latencyText(attempt, context))}</p>`
      : html`<p data-done>
            <strong>${messages.failed}</strong> ${status ?? ''} ${errorText(error, language)}
          </p>
          <p>${remedyText(error, language)}</p>`;
  return callout(error === null ? 'good' : 'bad', content);
}
