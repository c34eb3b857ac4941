import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import { note } from '../parts/notes.ts';
import { withQuery } from '../parts/pager.ts';
import type { Visit } from '../visit.ts';
import { latencyText } from './attempt-strip.ts';
import { errorText, remedyText } from './attempt-words.ts';

interface Words {
  readonly waits: string;
  readonly sent: string;
  readonly delivered: (status: string, latency: string) => string;
  readonly failed: string;
  readonly again: string;
  readonly slow: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    waits: 'The notice is about to be sent.',
    sent: 'The notice was sent. We wait for the answer.',
    delivered: (status, latency) => `The notice was delivered: answer ${status} after ${latency}.`,
    failed: 'The notice was not delivered.',
    again: 'Look again',
    slow: 'It takes longer than usual. The attempts above show it when it has been sent.',
  },
  ja: {
    waits: 'まもなく通知を送信します。',
    sent: '通知を送信しました。応答を待っています。',
    delivered: (status, latency) => `通知が届きました（応答 ${status}、${latency}）。`,
    failed: '通知は届きませんでした。',
    again: 'もう一度確認',
    slow: '通常より時間がかかっています。送信されると、上の記録に表示されます。',
  },
};

/** What came of the notice that was asked for. A script looks again by itself; without one there is a link. */
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
    data-slow="${WORDS[visit.language].slow}"
  >
    ${renderProgress(visit, connectionId, eventId, attempts)}
  </div>`;
}

/** The progress alone, as the script takes it. */
export function renderProgress(
  visit: Visit,
  connectionId: string,
  eventId: string,
  attempts: readonly LoggedAttempt[],
): Markup {
  const { language } = visit;
  const text = WORDS[language];
  const attempt = attempts.find((each) => each.eventId === eventId);
  if (attempt === undefined || attempt.result === 'in_progress') {
    const path = visit.path(`/connections/${connectionId}`);
    const again = `${withQuery(path, { notice: eventId })}#notice`;
    return note(
      'calm',
      html`<p>${attempt === undefined ? text.waits : text.sent}</p>
        <p><a href="${again}">${text.again}</a></p>`,
    );
  }
  const { status, error } = attempt;
  const content =
    error === null
      ? html`<p data-done>${text.delivered(String(status), latencyText(attempt, visit))}</p>`
      : html`<p data-done>
            <strong>${text.failed}</strong> ${status ?? ''} ${errorText(error, language)}
          </p>
          <p>${remedyText(error, language)}</p>`;
  return note(error === null ? 'good' : 'bad', content);
}
