import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import { errorText, MARKS, remedyText, RESULT_TONES, resultText } from '../parts/attempt-words.ts';
import { badge } from '../parts/badge.ts';
import { facts } from '../parts/notes.ts';
import { withQuery } from '../query.ts';
import type { Visit } from '../visit.ts';
import { attemptStripMessages } from './messages/attempt.ts';

/** Marks of a strip: what an eye takes in, a minute of the fastest pace. */
export const STRIP_ATTEMPTS = 60;

/** What an attempt is called: `Attempt 1,234`. */
export function attemptName(attempt: LoggedAttempt, { language, format }: Visit): string {
  return attemptStripMessages[language].number(format.number(attempt.number));
}

/** How long an attempt took, or a dash. */
export function latencyText({ latencyMs }: LoggedAttempt, { language, format }: Visit): string {
  return latencyMs === null
    ? '–'
    : attemptStripMessages[language].milliseconds(format.number(latencyMs));
}

/** The attempts, given newest first, as marks from the oldest to the newest; each leads to its details on the same page. */
export function attemptStrip(
  visit: Visit,
  path: string,
  attempts: readonly LoggedAttempt[],
  chosen: LoggedAttempt | undefined,
): Markup {
  const { language, format } = visit;
  const messages = attemptStripMessages[language];
  return html`<ol class="strip" aria-label="${messages.strip}">
      ${attempts.toReversed().map((attempt) => {
        const { number, result, startedAt } = attempt;
        const label = `${resultText(result, language)}, ${format.dateTimeText(startedAt)}`;
        const href = `${withQuery(path, { attempt: number })}#attempt`;
        const current = number === chosen?.number ? html` aria-current="true"` : '';
        return html`<li>
          <a class="mark ${result}" href="${href}" title="${label}" ${current}
            ><span aria-hidden="true">${MARKS[result]}</span><span class="unseen">${label}</span></a
          >
        </li>`;
      })}
    </ol>
    <ul class="strip-legend small" aria-label="${messages.legend}">
      ${(['delivered', 'failed', 'in_progress'] as const).map(
        (result) =>
          html`<li>
            <span class="mark ${result}" aria-hidden="true">${MARKS[result]}</span>
            ${resultText(result, language)}
          </li>`,
      )}
    </ul>`;
}

/** One attempt in all that is kept of it, with what went wrong and what to do. Never a body. */
export function attemptDetails(visit: Visit, attempt: LoggedAttempt): Markup {
  const { language, format } = visit;
  const messages = attemptStripMessages[language];
  const { result, startedAt, status, error } = attempt;
  return html`<section class="attempt" id="attempt" tabindex="-1">
    <h3>${attemptName(attempt, visit)}</h3>
    ${facts([
      [messages.when, format.dateTime(startedAt)],
      [messages.result, badge(resultText(result, language), RESULT_TONES[result])],
      [messages.status, status === null ? messages.none : String(status)],
      [messages.latency, latencyText(attempt, visit)],
      [messages.tries, format.number(attempt.attempt)],
    ])}
    ${
      error === null
        ? ''
        : html`<p>${errorText(error, language)}</p>
            <p><strong>${messages.todo}:</strong> ${remedyText(error, language)}</p>`
    }
  </section>`;
}
