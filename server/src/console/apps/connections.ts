import { html } from 'hono/html';
import {
  type ConnectionOfApp,
  listConnectionsOfApp,
} from '../../connections/connections-of-app.ts';
import type { Language } from '../../pages/language.ts';
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

/** Connections of one page. An app has one at a time. */
const PAGE_CONNECTIONS = 50;

interface Words {
  readonly title: (name: string) => string;
  readonly caption: string;
  readonly connected: string;
  readonly by: string;
  readonly state: string;
  readonly active: string;
  readonly ended: string;
  readonly why: string;
  readonly none: string;
  readonly noneText: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (name) => `Connections of ${name}`,
    caption: 'Connections, the newest first',
    connected: 'Connected',
    by: 'By',
    state: 'State',
    active: 'Active',
    ended: 'Ended',
    why: 'How it ended',
    none: 'Never connected',
    noneText: 'A member connects the app from within the app, and approves it here.',
  },
  ja: {
    title: (name) => `${name} の接続`,
    caption: '接続（新しい順）',
    connected: '接続日時',
    by: 'メンバー',
    state: '状態',
    active: '接続中',
    ended: '終了',
    why: '終了の理由',
    none: '接続されたことはありません',
    noneText: '接続はアプリの画面から始め、こちらで承認します。',
  },
};

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
    const text = WORDS[language];
    const appPath = visit.path(`/apps/${app.clientId}`);
    const path = `${appPath}/connections`;
    return showPage({
      title: text.title(app.name),
      section: 'apps',
      back: { href: appPath, label: app.name },
      content: html`${shown.length === 0 ? emptyState(text.none, text.noneText) : renderRows(visit, shown)}
      ${pager(language, {
        firstHref: before === null ? null : path,
        nextHref: last === undefined ? null : withQuery(path, { before: last.id }),
      })}`,
    });
  });
}

function renderRows(visit: Visit, connections: readonly ConnectionOfApp[]): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  return html`<div class="sheet">
    ${table({
      caption: text.caption,
      columns: [
        { label: text.connected },
        { label: text.by },
        { label: text.state },
        { label: text.ended },
        { label: text.why },
      ],
      rows: connections.map(({ id, connectedAt, user, status, endedAt, endReason }) => [
        html`<a href="${visit.path(`/connections/${id}`)}">${format.dateTime(connectedAt)}</a>`,
        user.name,
        status === 'active' ? badge(text.active, 'good') : badge(text.ended),
        endedAt === null ? '–' : format.dateTime(endedAt),
        endReason === null ? '–' : endText(endReason, language),
      ]),
    })}
  </div>`;
}
