import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import {
  type ConnectionOfApp,
  listConnectionsOfApp,
} from '../../connections/connections-of-app.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { pagedTable, trimToPage } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import type { Column } from '../parts/table.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { connectionEndMessages, connectionListMessages } from './messages/connection.ts';

const PAGE_CONNECTIONS = 50;

export async function showConnections(
  { db }: ConsoleDeps,
  context: RequestContext,
  app: App,
): Promise<ConsoleResponse> {
  const { shop, query, language } = context;
  const before = parseUuid(query['before']);
  const limit = PAGE_CONNECTIONS + 1;
  const found = await listConnectionsOfApp(db, shop.id, app.clientId, { before, limit });
  const { rows, last } = trimToPage(found, PAGE_CONNECTIONS);
  const messages = connectionListMessages[language];
  const appPath = context.shopPath(`/apps/${app.clientId}`);
  return showPage({
    title: messages.title(app.name),
    section: 'apps',
    back: { href: appPath, label: app.name },
    content: pagedTable(language, {
      caption: messages.caption,
      isCaptionShown: true,
      rows,
      columns: columnsOf(context),
      empty: emptyState(messages.none, messages.noneText),
      paging: { path: `${appPath}/connections`, name: 'before', here: before, next: last?.id },
    }),
  });
}

function columnsOf(context: RequestContext): readonly Column<ConnectionOfApp>[] {
  const { language, format } = context;
  const messages = connectionListMessages[language];
  return [
    [
      messages.connectedAt,
      ({ id, connectedAt }) =>
        html`<a href="${context.shopPath(`/connections/${id}`)}"
          >${format.dateTime(connectedAt)}</a
        >`,
    ],
    [messages.by, ({ user }) => user.name],
    [
      messages.state,
      ({ status }) =>
        status === 'active' ? badge(messages.active, 'good') : badge(messages.ended),
    ],
    [messages.ended, ({ endedAt }) => (endedAt === null ? '–' : format.dateTime(endedAt))],
    [
      messages.why,
      ({ endReason }) =>
        endReason === null ? '–' : connectionEndMessages[language].connection[endReason],
    ],
  ];
}
