import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import {
  errorText,
  RESULT_SYMBOLS,
  remedyText,
  RESULT_TONES,
  resultText,
} from '../parts/attempt-text.ts';
import { badge } from '../parts/badge.ts';
import { descriptionList } from '../parts/notes.ts';
import { withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { attemptStripMessages } from './messages/attempt.ts';

/** The number of attempts in the strip, which is one minute of attempts at the minimum interval. */
export const STRIP_ATTEMPTS = 60;

/** Returns the name of an attempt, such as `Attempt 1,234`. */
export function attemptName(attempt: LoggedAttempt, { language, format }: RequestContext): string {
  return attemptStripMessages[language].number(format.number(attempt.number));
}

export function latencyText(
  { latencyMs }: LoggedAttempt,
  { language, format }: RequestContext,
): string {
  return latencyMs === null
    ? '–'
    : attemptStripMessages[language].milliseconds(format.number(latencyMs));
}

/**
 * Renders attempts, which are given newest first, as marks from oldest to newest. Each mark links
 * to the details of its attempt on the same page.
 */
export function attemptStrip(
  context: RequestContext,
  path: string,
  attempts: readonly LoggedAttempt[],
  chosen: LoggedAttempt | undefined,
): Markup {
  const { language, format } = context;
  const messages = attemptStripMessages[language];
  return html`<ol class="strip" aria-label="${messages.strip}">
      ${attempts.toReversed().map((attempt) => {
        const { number, result, startedAt } = attempt;
        const label = `${resultText(result, language)}, ${format.dateTimeText(startedAt)}`;
        const href = `${withQuery(path, { attempt: number })}#attempt`;
        const current = number === chosen?.number ? html` aria-current="true"` : '';
        return html`<li>
          <a class="mark ${result}" href="${href}" title="${label}" ${current}
            ><span aria-hidden="true">${RESULT_SYMBOLS[result]}</span
            ><span class="unseen">${label}</span></a
          >
        </li>`;
      })}
    </ol>
    <ul class="strip-legend small" aria-label="${messages.legend}">
      ${(['delivered', 'failed', 'in_progress'] as const).map(
        (result) =>
          html`<li>
            <span class="mark ${result}" aria-hidden="true">${RESULT_SYMBOLS[result]}</span>
            ${resultText(result, language)}
          </li>`,
      )}
    </ul>`;
}

/**
 * Renders everything that is stored about one attempt, with the cause of a failure and how to fix
 * it. Request and response bodies are never stored.
 */
export function attemptDetails(context: RequestContext, attempt: LoggedAttempt): Markup {
  const { language, format } = context;
  const messages = attemptStripMessages[language];
  const { result, startedAt, status, error } = attempt;
  return html`<section class="attempt" id="attempt" tabindex="-1">
    <h3>${attemptName(attempt, context)}</h3>
    ${descriptionList([
      [messages.when, format.dateTime(startedAt)],
      [messages.result, badge(resultText(result, language), RESULT_TONES[result])],
      [messages.status, status === null ? messages.none : String(status)],
      [messages.latency, latencyText(attempt, context)],
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
