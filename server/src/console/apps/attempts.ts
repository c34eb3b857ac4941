import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import { listAttempts, type LoggedAttempt } from '../../webhooks/attempt-log.ts';
import { NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { emptyState } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findConnectionOfVisit } from './app-of-shop.ts';
import { latencyText } from './attempt-strip.ts';
import { errorText, remedyText, RESULT_TONES, resultText } from './attempt-words.ts';
import { attemptListMessages } from './messages/attempt.ts';

/** Attempts of one page. */
const PAGE_ATTEMPTS = 50;
/** What JavaScript counts exactly. */
const NUMBER = /^\d{1,15}$/;

/** Mounts the whole log of a connection's notices. */
export function mountAttempts(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/connections/:id/attempts', 'integrations.manage', async (visit) => {
    const connection = await findConnectionOfVisit(db, visit);
    if (connection === undefined) return NOT_FOUND;
    const { shop, query, language } = visit;
    const asked = query['before'] ?? '';
    const before = NUMBER.test(asked) ? Number(asked) : null;
    const limit = PAGE_ATTEMPTS + 1;
    const found = (await listAttempts(db, shop.id, connection.id, { before, limit })) ?? [];
    const shown = found.slice(0, PAGE_ATTEMPTS);
    const last = found.length > PAGE_ATTEMPTS ? shown.at(-1) : undefined;
    const messages = attemptListMessages[language];
    const back = visit.path(`/connections/${connection.id}`);
    const path = `${back}/attempts`;
    return showPage({
      title: messages.title(connection.app.name),
      section: 'apps',
      back: { href: back, label: messages.back },
      content: html`<p class="soft">${messages.kept}</p>
        ${shown.length === 0 ? emptyState(messages.none, messages.noneText) : renderAttempts(visit, shown)}
        ${pager(language, {
          firstHref: before === null ? null : path,
          nextHref: last === undefined ? null : withQuery(path, { before: last.number }),
        })}`,
    });
  });
}

function renderAttempts(visit: Visit, attempts: readonly LoggedAttempt[]): Markup {
  const { language, format } = visit;
  const messages = attemptListMessages[language];
  return html`<div class="sheet">
    ${table({
      caption: messages.caption,
      columns: [
        { label: messages.when },
        { label: messages.result },
        { label: messages.status },
        { label: messages.latency, isNumber: true },
        { label: messages.what },
      ],
      rows: attempts.map((attempt) => {
        const { startedAt, result, status, error } = attempt;
        return [
          format.dateTime(startedAt),
          badge(resultText(result, language), RESULT_TONES[result]),
          status === null ? '–' : String(status),
          latencyText(attempt, visit),
          error === null
            ? '–'
            : html`<div>
                ${errorText(error, language)}
                <span class="soft small below">${remedyText(error, language)}</span>
              </div>`,
        ];
      }),
    })}
  </div>`;
}
