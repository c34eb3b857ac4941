import { html } from 'hono/html';
import { findApp } from '../../apps/app.ts';
import { isInForce } from '../../grants/approval-in-force.ts';
import { listApprovals, type ShownApproval } from '../../grants/approval-list.ts';
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
import { uuidOf } from './app-of-shop.ts';
import { approvalEndText } from './connection-words.ts';
import { scopeNames } from './scope-words.ts';

/** Approvals of one page. */
const PAGE_APPROVALS = 50;

interface Words {
  readonly title: string;
  readonly titleOf: (name: string) => string;
  readonly apps: string;
  readonly intro: string;
  readonly caption: string;
  readonly when: string;
  readonly member: string;
  readonly app: string;
  readonly allowed: string;
  readonly state: string;
  readonly live: string;
  /** Not ended, but it opens nothing. */
  readonly outOfUse: string;
  readonly expired: string;
  readonly ended: string;
  readonly inactive: string;
  readonly repeated: (times: number, last: string) => string;
  readonly all: string;
  readonly none: string;
  readonly noneText: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Approvals',
    titleOf: (name) => `Approvals of ${name}`,
    apps: 'Apps',
    intro:
      'Each time a member allows an app to act for this shop, it stands here: who, which app, when, and what was allowed.',
    caption: 'Approvals, the newest first',
    when: 'When',
    member: 'Member',
    app: 'App',
    allowed: 'Allowed',
    state: 'State',
    live: 'Active',
    outOfUse: 'Out of use',
    expired: 'Its tokens have expired',
    ended: 'Ended',
    inactive: 'Member deactivated',
    repeated: (times, last) =>
      `Token answer sent again ${times === 1 ? 'once' : `${times} times`}, last ${last}`,
    all: 'Approvals of all apps',
    none: 'Nothing was approved yet',
    noneText: 'When a member approves an app, it is listed here.',
  },
  ja: {
    title: '承認の履歴',
    titleOf: (name) => `${name} の承認の履歴`,
    apps: 'アプリ',
    intro:
      'メンバーがアプリにこのショップの利用を許可した記録です。誰が、どのアプリに、いつ、何を許可したかがわかります。',
    caption: '承認（新しい順）',
    when: '日時',
    member: 'メンバー',
    app: 'アプリ',
    allowed: '許可した内容',
    state: '状態',
    live: '有効',
    outOfUse: '使用不可',
    expired: 'トークンの期限切れ',
    ended: '終了',
    inactive: 'メンバー停止中',
    repeated: (times, last) => `トークンの応答を再送: ${times} 回（最終: ${last}）`,
    all: 'すべてのアプリの承認',
    none: '承認はまだありません',
    noneText: 'メンバーがアプリを承認すると、ここに表示されます。',
  },
};

/** Mounts the list of approvals: which member has allowed what to which app. */
export function mountApprovals(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/apps/approvals', 'integrations.manage', async (visit) => {
    const { shop, query, language } = visit;
    const text = WORDS[language];
    const asked = query['app'] ?? null;
    const app = asked === null ? undefined : await findApp(db, asked);
    if (asked !== null && app?.shopId !== shop.id) return NOT_FOUND;
    const clientId = app?.clientId ?? null;
    const before = uuidOf(query['before']);
    const limit = PAGE_APPROVALS + 1;
    const found = await listApprovals(db, shop.id, { clientId, before, limit }, visit.now);
    const shown = found.slice(0, PAGE_APPROVALS);
    const last = found.length > PAGE_APPROVALS ? shown.at(-1) : undefined;
    const path = visit.path('/apps/approvals');
    const isAppThere = app?.removedAt === null;
    return showPage({
      title: app === undefined ? text.title : text.titleOf(app.name),
      section: 'apps',
      back: isAppThere
        ? { href: visit.path(`/apps/${app.clientId}`), label: app.name }
        : { href: visit.path('/apps'), label: text.apps },
      content: html`<p>${text.intro}</p>
        ${app === undefined ? '' : html`<p><a href="${path}">${text.all}</a></p>`}
        ${
          shown.length === 0
            ? emptyState(text.none, text.noneText)
            : html`<div class="sheet">${renderApprovals(visit, shown, app === undefined)}</div>`
        }
        ${pager(language, {
          firstHref: before === null ? null : withQuery(path, { app: clientId }),
          nextHref: last === undefined ? null : withQuery(path, { app: clientId, before: last.id }),
        })}`,
    });
  });
}

/** Approvals as a table; `withApp` says which app each is of. */
export function renderApprovals(
  visit: Visit,
  approvals: readonly ShownApproval[],
  withApp: boolean,
): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  return table({
    caption: text.caption,
    columns: [
      { label: text.when },
      { label: text.member },
      ...(withApp ? [{ label: text.app }] : []),
      { label: text.allowed },
      { label: text.state },
    ],
    rows: approvals.map((approval) => {
      const { createdAt, member, app, scopes } = approval;
      return [
        format.dateTime(createdAt),
        member.name,
        ...(withApp ? [renderApp(visit, app)] : []),
        scopeNames(scopes, language),
        html`${renderState(visit, approval)} ${renderRepeats(visit, approval)}`,
      ];
    }),
  });
}

function renderState({ language, format }: Visit, approval: ShownApproval): Markup {
  const text = WORDS[language];
  const { endedAt, endReason, member } = approval;
  if (endedAt !== null && endReason !== null) {
    return html`<div>
      ${badge(text.ended)}
      <span class="soft small"
        >${format.dateTime(endedAt)}: ${approvalEndText(endReason, language)}</span
      >
    </div>`;
  }
  if (isInForce(approval)) return badge(text.live, 'good');
  const why = member.isActive ? text.expired : text.inactive;
  return html`<div>${badge(text.outOfUse, 'warn')} <span class="soft small">${why}</span></div>`;
}

/** Many repeats are a lossy line, or an app that runs twice on one approval. */
function renderRepeats(
  { language, format }: Visit,
  { repeats, lastRepeatAt }: ShownApproval,
): Markup {
  if (lastRepeatAt === null) return html``;
  const text = WORDS[language].repeated(repeats, format.dateTimeText(lastRepeatAt));
  return html`<div class="soft small" data-testid="repeats">${text}</div>`;
}

function renderApp(visit: Visit, { clientId, name, isRemoved }: ShownApproval['app']): Markup {
  if (isRemoved) return html`${name}`;
  return html`<a href="${visit.path(`/apps/${clientId}`)}">${name}</a>`;
}
