import { html } from 'hono/html';
import { listAttempts, type LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { ConnectionDetails } from '../../webhooks/connection-details.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { errorText, remedyText, RESULT_TONES, resultText } from '../parts/attempt-text.ts';
import { badge } from '../parts/badge.ts';
import { pagedTable, trimToPage } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import type { Column } from '../parts/table.ts';
import { parseNumber } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { latencyText } from './attempt-strip.ts';
import { attemptListMessages } from './messages/attempt.ts';

const PAGE_ATTEMPTS = 50;

/** Shows the complete delivery log of a connection. */
export async function showAttempts(
  { db }: ConsoleDeps,
  context: RequestContext,
  connection: ConnectionDetails,
): Promise<ConsoleResponse> {
  const { shop, query, language } = context;
  const before = parseNumber(query['before']);
  const limit = PAGE_ATTEMPTS + 1;
  const found = (await listAttempts(db, shop.id, connection.id, { before, limit })) ?? [];
  const { rows, last } = trimToPage(found, PAGE_ATTEMPTS);
  const messages = attemptListMessages[language];
  const back = context.shopPath(`/connections/${connection.id}`);
  return showPage({
    title: messages.title(connection.app.name),
    section: 'apps',
    back: { href: back, label: messages.connection },
    content: html`<p class="soft">${messages.kept}</p>
      ${pagedTable(language, {
        caption: messages.caption,
        isCaptionShown: true,
        rows,
        columns: columnsOf(context),
        empty: emptyState(messages.none, messages.noneText),
        paging: { path: `${back}/attempts`, name: 'before', here: before, next: last?.number },
      })}`,
  });
}

function columnsOf(context: RequestContext): readonly Column<LoggedAttempt>[] {
  const { language, format } = context;
  const messages = attemptListMessages[language];
  return [
    [messages.when, ({ startedAt }) => format.dateTime(startedAt)],
    [messages.result, ({ result }) => badge(resultText(result, language), RESULT_TONES[result])],
    [messages.status, ({ status }) => (status === null ? '–' : String(status))],
    [messages.latency, (attempt) => latencyText(attempt, context), 'number'],
    [
      messages.what,
      ({ error }) =>
        error === null
          ? '–'
          : html`<div>
              ${errorText(error, language)}
              <span class="soft small below">${remedyText(error, language)}</span>
            </div>`,
    ],
  ];
}
