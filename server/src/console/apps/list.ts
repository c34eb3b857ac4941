import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import { type AppOverview, listAppOverviews } from '../../webhooks/app-overview.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { healthBadge, healthOf, lagText, lastReadText } from '../parts/app-health.ts';
import { badge } from '../parts/badge.ts';
import { linkButton } from '../parts/button.ts';
import { filterForm, pagedTable, trimToPage } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import type { Column } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { appListMessages } from './messages/app.ts';

/** The number of apps on one page. */
const PAGE_APPS = 50;
/** The maximum length of a searched name in characters, as for app names (0002_apps.sql). */
const NAME_MAX = 200;

export async function showAppList(
  { db }: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { shop, query, language, now } = context;
  const typed = (query['name'] ?? '').trim().slice(0, NAME_MAX);
  const name = typed === '' ? null : typed;
  const after = query['after'] ?? null;
  const found = await listAppOverviews(db, shop.id, { name, after, limit: PAGE_APPS + 1 }, now);
  const { rows, last } = trimToPage(found, PAGE_APPS);
  const messages = appListMessages[language];
  const path = context.shopPath('/apps');
  const isFiltered = name !== null || after !== null;
  return showPage({
    title: messages.apps,
    section: 'apps',
    headerActions: linkButton({
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
      ${pagedTable(language, {
        caption: messages.apps,
        rows,
        columns: columnsOf(context),
        empty: renderNone(context, isFiltered),
        paging: { path, query: { name }, name: 'after', here: after, next: last?.clientId },
      })}`,
  });
}

function renderNone(context: RequestContext, isFiltered: boolean): Markup {
  const messages = appListMessages[context.language];
  if (isFiltered) return emptyState(messages.nothing, messages.nothingText);
  const href = context.shopPath('/apps/new');
  return emptyState(
    messages.none,
    messages.noneText,
    linkButton({ href, label: messages.registerApp }),
  );
}

function columnsOf(context: RequestContext): readonly Column<AppOverview>[] {
  const { language, format, now } = context;
  const messages = appListMessages[language];
  return [
    [
      messages.app,
      ({ clientId, name }) => html`<a href="${context.shopPath(`/apps/${clientId}`)}">${name}</a>`,
    ],
    [messages.state, (app) => healthBadge(healthOf(app, now), language)],
    [messages.lag, ({ connection }) => (connection === null ? '–' : lagText(connection, format))],
    [
      messages.lastRead,
      ({ connection }) => (connection === null ? '–' : lastReadText(connection.lastReadAt, format)),
    ],
    [messages.webhook, (app) => renderWebhook(app, context)],
  ];
}

function renderWebhook(
  { isEnabled, connection }: AppOverview,
  { language, format }: RequestContext,
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
