import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { listShownApps, type ShownApp } from '../../webhooks/shown-apps.ts';
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

/** Apps of one page: a screen or two. */
const PAGE_APPS = 50;
/** Characters of a name that are searched for: names have 200 (0002_apps.sql). */
const NAME_MAX = 200;

interface Words {
  readonly title: string;
  readonly register: string;
  readonly keys: string;
  readonly approvals: string;
  readonly more: string;
  readonly filter: string;
  readonly find: string;
  readonly all: string;
  readonly app: string;
  readonly state: string;
  readonly lag: string;
  readonly lastRead: string;
  readonly webhook: string;
  readonly works: string;
  readonly failsSince: string;
  readonly noWebhook: string;
  readonly paused: string;
  readonly none: string;
  readonly noneText: string;
  readonly nothing: string;
  readonly nothingText: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Apps',
    register: 'Register an app',
    keys: 'API keys',
    approvals: 'Approvals',
    more: 'More about apps',
    filter: 'Find an app by name',
    find: 'Find',
    all: 'All apps',
    app: 'App',
    state: 'State',
    lag: 'Lag',
    lastRead: 'Last read',
    webhook: 'Webhook',
    works: 'Working',
    failsSince: 'Failing since',
    noWebhook: 'None',
    paused: 'Paused',
    none: 'No app yet',
    noneText:
      'An app of another maker, such as a price board or a shop system, can read this shop’s stock and buy boosts after a member has approved it.',
    nothing: 'No app has this name',
    nothingText: 'Try a part of the name.',
  },
  ja: {
    title: 'アプリ',
    register: 'アプリを登録',
    keys: 'API キー',
    approvals: '承認の履歴',
    more: 'アプリ関連のページ',
    filter: 'アプリを名前で探す',
    find: '検索',
    all: 'すべてのアプリ',
    app: 'アプリ',
    state: '状態',
    lag: '遅れ',
    lastRead: '最終読み取り',
    webhook: 'Webhook',
    works: '正常',
    failsSince: '失敗中',
    noWebhook: 'なし',
    paused: '停止中',
    none: 'アプリはまだありません',
    noneText:
      '価格表示や販売管理など、ほかの会社のアプリが、メンバーの承認後にこのショップの在庫と買取強化を読み取れるようになります。',
    nothing: '該当するアプリがありません',
    nothingText: '名前の一部で検索してみてください。',
  },
};

/** Mounts the list of a shop's apps with their health. */
export function mountList(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/apps', 'integrations.manage', async (visit) => {
    const { shop, query, language, now } = visit;
    const typed = (query['name'] ?? '').trim().slice(0, NAME_MAX);
    const name = typed === '' ? null : typed;
    const after = query['after'] ?? null;
    const found = await listShownApps(db, shop.id, { name, after, limit: PAGE_APPS + 1 }, now);
    const apps = found.slice(0, PAGE_APPS);
    const last = found.length > PAGE_APPS ? apps.at(-1) : undefined;
    const text = WORDS[language];
    const path = visit.path('/apps');
    const isFiltered = name !== null || after !== null;
    return showPage({
      title: text.title,
      section: 'apps',
      tools: linkButton({
        href: `${path}/new`,
        label: text.register,
        kind: 'first',
        icon: 'plus',
      }),
      content: html`<nav aria-label="${text.more}">
          <ul class="tabs">
            <li><a href="${path}" aria-current="page">${text.title}</a></li>
            <li><a href="${path}/approvals">${text.approvals}</a></li>
            <li><a href="${path}/keys">${text.keys}</a></li>
          </ul>
        </nav>
        ${apps.length === 0 && !isFiltered ? '' : renderFilter(path, typed, text)}
        ${apps.length === 0 ? renderNone(visit, isFiltered) : renderApps(visit, apps)}
        ${pager(language, {
          firstHref: after === null ? null : withQuery(path, { name }),
          nextHref: last === undefined ? null : withQuery(path, { name, after: last.clientId }),
        })}`,
    });
  });
}

function renderFilter(path: string, name: string, text: Words): Markup {
  return html`<form method="get" action="${path}" class="filters" role="search">
    ${textField({ name: 'name', label: text.filter, value: name, type: 'search', maxLength: NAME_MAX })}
    ${submitButton(text.find, 'second')}
    ${name === '' ? '' : linkButton({ href: path, label: text.all, kind: 'plain' })}
  </form>`;
}

function renderNone(visit: Visit, isFiltered: boolean): Markup {
  const text = WORDS[visit.language];
  if (isFiltered) return emptyState(text.nothing, text.nothingText);
  const href = visit.path('/apps/new');
  return emptyState(text.none, text.noneText, linkButton({ href, label: text.register }));
}

function renderApps(visit: Visit, apps: readonly ShownApp[]): Markup {
  const { language, format, now } = visit;
  const text = WORDS[language];
  return html`<div class="sheet">
    ${table({
      caption: text.title,
      isCaptionUnseen: true,
      columns: [
        { label: text.app },
        { label: text.state },
        { label: text.lag },
        { label: text.lastRead },
        { label: text.webhook },
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
  { isEnabled, connection }: ShownApp,
  { language, format }: Visit,
): Markup | string {
  const text = WORDS[language];
  if (connection === null) return '–';
  if (!connection.hasWebhook) return html`<span class="soft">${text.noWebhook}</span>`;
  if (!isEnabled) return badge(text.paused, 'warn');
  if (connection.failingSince === null) return badge(text.works, 'good');
  return html`<div>${badge(text.failsSince, 'bad')} ${format.ago(connection.failingSince)}</div>`;
}
