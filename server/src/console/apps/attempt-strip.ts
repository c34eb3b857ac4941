import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import { badge } from '../parts/badge.ts';
import { facts } from '../parts/notes.ts';
import { withQuery } from '../parts/pager.ts';
import type { Visit } from '../visit.ts';
import { errorText, MARKS, remedyText, RESULT_TONES, resultText } from './attempt-words.ts';

/** Marks of a strip: what an eye takes in, a minute of the fastest pace. */
export const STRIP_ATTEMPTS = 60;

interface Words {
  readonly strip: string;
  readonly legend: string;
  readonly number: (number: string) => string;
  readonly when: string;
  readonly result: string;
  readonly status: string;
  readonly noStatus: string;
  readonly latency: string;
  readonly milliseconds: (number: string) => string;
  readonly tries: string;
  readonly todo: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    strip: 'The last attempts, the newest at the end',
    legend: 'What the marks mean',
    number: (number) => `Attempt ${number}`,
    when: 'When',
    result: 'Result',
    status: 'Answer',
    noStatus: 'None',
    latency: 'Took',
    milliseconds: (number) => `${number} ms`,
    tries: 'Attempt of this notice',
    todo: 'What to do',
  },
  ja: {
    strip: '最近の送信（右端が最新）',
    legend: '記号の意味',
    number: (number) => `送信 ${number}`,
    when: '日時',
    result: '結果',
    status: '応答',
    noStatus: 'なし',
    latency: '所要時間',
    milliseconds: (number) => `${number} ミリ秒`,
    tries: '同じ通知の何回目か',
    todo: '対処方法',
  },
};

/** What an attempt is called: `Attempt 1,234`. */
export function attemptName(attempt: LoggedAttempt, { language, format }: Visit): string {
  return WORDS[language].number(format.number(attempt.number));
}

/** How long an attempt took, or a dash. */
export function latencyText({ latencyMs }: LoggedAttempt, { language, format }: Visit): string {
  return latencyMs === null ? '–' : WORDS[language].milliseconds(format.number(latencyMs));
}

/** The attempts, given newest first, as marks from the oldest to the newest; each leads to its details on the same page. */
export function attemptStrip(
  visit: Visit,
  path: string,
  attempts: readonly LoggedAttempt[],
  chosen: LoggedAttempt | undefined,
): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  return html`<ol class="strip" aria-label="${text.strip}">
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
    <ul class="strip-legend small" aria-label="${text.legend}">
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
  const text = WORDS[language];
  const { result, startedAt, status, error } = attempt;
  return html`<section class="attempt" id="attempt" tabindex="-1">
    <h3>${attemptName(attempt, visit)}</h3>
    ${facts([
      [text.when, format.dateTime(startedAt)],
      [text.result, badge(resultText(result, language), RESULT_TONES[result])],
      [text.status, status === null ? text.noStatus : String(status)],
      [text.latency, latencyText(attempt, visit)],
      [text.tries, format.number(attempt.attempt)],
    ])}
    ${
      error === null
        ? ''
        : html`<p>${errorText(error, language)}</p>
            <p><strong>${text.todo}:</strong> ${remedyText(error, language)}</p>`
    }
  </section>`;
}
