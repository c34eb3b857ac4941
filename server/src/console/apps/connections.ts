import { html } from 'hono/html';
import {
  type ConnectionOfApp,
  listConnectionsOfApp,
} from '../../connections/connections-of-app.ts';
import type { Markup } from '../../pages/page.ts';
import { NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { emptyState } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findAppOfVisit, uuidOf } from './app-of-shop.ts';
import { endText } from './connection-words.ts';
import { connectionListMessages } from './messages/connection.ts';

/** Connections of one page. An app has one at a time. */
const PAGE_CONNECTIONS = 50;

/** Mounts the list of an app's connections, the current one and those that ended. */
export function mountConnections(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/apps/:clientId/connections', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const { shop, query, language } = visit;
    const before = uuidOf(query['before']);
    const limit = PAGE_CONNECTIONS + 1;
    const found = await listConnectionsOfApp(db, shop.id, app.clientId, { before, limit });
    const shown = found.slice(0, PAGE_CONNECTIONS);
    const last = found.length > PAGE_CONNECTIONS ? shown.at(-1) : undefined;
    const messages = connectionListMessages[language];
    const appPath = visit.path(`/apps/${app.clientId}`);
    const path = `${appPath}/connections`;
    return showPage({
      title: messages.title(app.name),
      section: 'apps',
      back: { href: appPath, label: app.name },
      content: html`${shown.length === 0 ? emptyState(messages.none, messages.noneText) : renderRows(visit, shown)}
      ${pager(language, {
        firstHref: before === null ? null : path,
        nextHref: last === undefined ? null : withQuery(path, { before: last.id }),
      })}`,
    });
  });
}

function renderRows(visit: Visit, connections: readonly ConnectionOfApp[]): Markup {
  const { language, format } = visit;
  const messages = connectionListMessages[language];
  return html`<div class="sheet">
    ${table({
      caption: messages.caption,
      columns: [
        { label: messages.connected },
        { label: messages.by },
        { label: messages.state },
        { label: messages.ended },
        { label: messages.why },
      ],
      rows: connections.map(({ id, connectedAt, user, status, endedAt, endReason }) => [
        html`<a href="${visit.path(`/connections/${id}`)}">${format.dateTime(connectedAt)}</a>`,
        user.name,
        status === 'active' ? badge(messages.active, 'good') : badge(messages.ended),
        endedAt === null ? '–' : format.dateTime(endedAt),
        endReason === null ? '–' : endText(endReason, language),
      ]),
    })}
  </div>`;
}
