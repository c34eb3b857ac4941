import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import { errorText, remedyText } from '../parts/attempt-words.ts';
import { note } from '../parts/notes.ts';
import { withQuery } from '../query.ts';
import type { Visit } from '../visit.ts';
import { latencyText } from './attempt-strip.ts';
import { noticeProgressMessages } from './messages/delivery.ts';

/**
 * The result of a requested notice. The script polls for it; without a script, a link reloads it.
 */
export function renderNotice(
  visit: Visit,
  connectionId: string,
  eventId: string,
  attempts: readonly LoggedAttempt[],
): Markup {
  const source = withQuery(visit.path(`/connections/${connectionId}/notice`), { event: eventId });
  return html`<div
    id="notice"
    role="status"
    data-poll="${source}"
    data-slow="${noticeProgressMessages[visit.language].slow}"
  >
    ${renderProgress(visit, connectionId, eventId, attempts)}
  </div>`;
}

/** The progress alone, as a fragment for the script. */
export function renderProgress(
  visit: Visit,
  connectionId: string,
  eventId: string,
  attempts: readonly LoggedAttempt[],
): Markup {
  const { language } = visit;
  const messages = noticeProgressMessages[language];
  const attempt = attempts.find((each) => each.eventId === eventId);
  if (attempt === undefined || attempt.result === 'in_progress') {
    const path = visit.path(`/connections/${connectionId}`);
    const again = `${withQuery(path, { notice: eventId })}#notice`;
    return note(
      'calm',
      html`<p>${attempt === undefined ? messages.waits : messages.sent}</p>
        <p><a href="${again}">${messages.again}</a></p>`,
    );
  }
  const { status, error } = attempt;
  const content =
    error === null
      ? html`<p data-done>${messages.delivered(String(status), latencyText(attempt, visit))}</p>`
      : html`<p data-done>
            <strong>${messages.failed}</strong> ${status ?? ''} ${errorText(error, language)}
          </p>
          <p>${remedyText(error, language)}</p>`;
  return note(error === null ? 'good' : 'bad', content);
}
