import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import { type AppCare, listAppCare } from '../../webhooks/app-care.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { healthBadge, healthOf, lagText, lastReadText } from '../parts/app-health.ts';
import { badge } from '../parts/badge.ts';
import { linkButton } from '../parts/button.ts';
import { filterForm, list, pageOf } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import type { Column } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { appListMessages } from './messages/app.ts';

/** Apps on one page. */
const PAGE_APPS = 50;
/** In characters; a name has at most 200 (0002_apps.sql). */
const NAME_MAX = 200;

export async function showList({ db }: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const { shop, query, language, now } = visit;
  const typed = (query['name'] ?? '').trim().slice(0, NAME_MAX);
  const name = typed === '' ? null : typed;
  const after = query['after'] ?? null;
  const found = await listAppCare(db, shop.id, { name, after, limit: PAGE_APPS + 1 }, now);
  const { rows, last } = pageOf(found, PAGE_APPS);
  const messages = appListMessages[language];
  const path = visit.path('/apps');
  const isFiltered = name !== null || after !== null;
  return showPage({
    title: messages.apps,
    section: 'apps',
    tools: linkButton({
      href: `${path}/new`,
      label: messages.registerApp,
      kind: 'first',
      icon: 'plus',
    }),
    content: html`<nav aria-label="${messages.more}">
        <ul class="tabs">
          <li><a href="${path}" aria-current="page">${messages.apps}</a></li>
          <li><a href="${path}/approvals">${messages.approvals}</a></li>
          <li><a href="${path}/keys">${messages.keys}</a></li>
        </ul>
      </nav>
      ${
        rows.length === 0 && !isFiltered
          ? ''
          : filterForm(path, {
              filters: [{ name: 'name', label: messages.filter, value: typed }],
              submit: messages.find,
              all: typed === '' ? null : messages.all,
            })
      }
      ${list(language, {
        caption: messages.apps,
        rows,
        columns: columnsOf(visit),
        empty: renderNone(visit, isFiltered),
        paging: { path, query: { name }, name: 'after', here: after, next: last?.clientId },
      })}`,
  });
}

function renderNone(visit: Visit, isFiltered: boolean): Markup {
  const messages = appListMessages[visit.language];
  if (isFiltered) return emptyState(messages.nothing, messages.nothingText);
  const href = visit.path('/apps/new');
  return emptyState(
    messages.none,
    messages.noneText,
    linkButton({ href, label: messages.registerApp }),
  );
}

function columnsOf(visit: Visit): readonly Column<AppCare>[] {
  const { language, format, now } = visit;
  const messages = appListMessages[language];
  return [
    [
      messages.app,
      ({ clientId, name }) => html`<a href="${visit.path(`/apps/${clientId}`)}">${name}</a>`,
    ],
    [messages.state, (app) => healthBadge(healthOf(app, now), language)],
    [messages.lag, ({ connection }) => (connection === null ? '–' : lagText(connection, format))],
    [
      messages.lastRead,
      ({ connection }) => (connection === null ? '–' : lastReadText(connection.lastReadAt, format)),
    ],
    [messages.webhook, (app) => renderWebhook(app, visit)],
  ];
}

function renderWebhook(
  { isEnabled, connection }: AppCare,
  { language, format }: Visit,
): Markup | string {
  const messages = appListMessages[language];
  if (connection === null) return '–';
  if (!connection.hasWebhook) return html`<span class="soft">${messages.noWebhook}</span>`;
  if (!isEnabled) return badge(messages.paused, 'warn');
  if (connection.failingSince === null) return badge(messages.works, 'good');
  return html`<div>
    ${badge(messages.failsSince, 'bad')} ${format.ago(connection.failingSince)}
  </div>`;
}
