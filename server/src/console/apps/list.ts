import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import { type AppCare, listAppCare } from '../../webhooks/app-care.ts';
import { showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { emptyState } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { healthBadge, healthOf, lagText, lastReadText } from './health.ts';
import type { MessagesOf } from '../../pages/messages.ts';
import { appListMessages } from './messages/app.ts';

/** Apps of one page: a screen or two. */
const PAGE_APPS = 50;
/** Characters of a name that are searched for: names have 200 (0002_apps.sql). */
const NAME_MAX = 200;

/** Mounts the list of a shop's apps with their health. */
export function mountList(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/apps', 'integrations.manage', async (visit) => {
    const { shop, query, language, now } = visit;
    const typed = (query['name'] ?? '').trim().slice(0, NAME_MAX);
    const name = typed === '' ? null : typed;
    const after = query['after'] ?? null;
    const found = await listAppCare(db, shop.id, { name, after, limit: PAGE_APPS + 1 }, now);
    const apps = found.slice(0, PAGE_APPS);
    const last = found.length > PAGE_APPS ? apps.at(-1) : undefined;
    const messages = appListMessages[language];
    const path = visit.path('/apps');
    const isFiltered = name !== null || after !== null;
    return showPage({
      title: messages.title,
      section: 'apps',
      tools: linkButton({
        href: `${path}/new`,
        label: messages.register,
        kind: 'first',
        icon: 'plus',
      }),
      content: html`<nav aria-label="${messages.more}">
          <ul class="tabs">
            <li><a href="${path}" aria-current="page">${messages.title}</a></li>
            <li><a href="${path}/approvals">${messages.approvals}</a></li>
            <li><a href="${path}/keys">${messages.keys}</a></li>
          </ul>
        </nav>
        ${apps.length === 0 && !isFiltered ? '' : renderFilter(path, typed, messages)}
        ${apps.length === 0 ? renderNone(visit, isFiltered) : renderApps(visit, apps)}
        ${pager(language, {
          firstHref: after === null ? null : withQuery(path, { name }),
          nextHref: last === undefined ? null : withQuery(path, { name, after: last.clientId }),
        })}`,
    });
  });
}

function renderFilter(
  path: string,
  name: string,
  messages: MessagesOf<typeof appListMessages>,
): Markup {
  return html`<form method="get" action="${path}" class="filters" role="search">
    ${textField({ name: 'name', label: messages.filter, value: name, type: 'search', maxLength: NAME_MAX })}
    ${submitButton(messages.find, 'second')}
    ${name === '' ? '' : linkButton({ href: path, label: messages.all, kind: 'plain' })}
  </form>`;
}

function renderNone(visit: Visit, isFiltered: boolean): Markup {
  const messages = appListMessages[visit.language];
  if (isFiltered) return emptyState(messages.nothing, messages.nothingText);
  const href = visit.path('/apps/new');
  return emptyState(
    messages.none,
    messages.noneText,
    linkButton({ href, label: messages.register }),
  );
}

function renderApps(visit: Visit, apps: readonly AppCare[]): Markup {
  const { language, format, now } = visit;
  const messages = appListMessages[language];
  return html`<div class="sheet">
    ${table({
      caption: messages.title,
      isCaptionUnseen: true,
      columns: [
        { label: messages.app },
        { label: messages.state },
        { label: messages.lag },
        { label: messages.lastRead },
        { label: messages.webhook },
      ],
      rows: apps.map((app) => [
        html`<a href="${visit.path(`/apps/${app.clientId}`)}">${app.name}</a>`,
        healthBadge(healthOf(app, now), language),
        app.connection === null ? '–' : lagText(app.connection, format),
        app.connection === null ? '–' : lastReadText(app.connection.lastReadAt, format),
        renderWebhook(app, visit),
      ]),
    })}
  </div>`;
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
