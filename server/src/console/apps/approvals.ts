import { html } from 'hono/html';
import { findApp } from '../../apps/app.ts';
import { isInForce } from '../../grants/approval-in-force.ts';
import { listApprovals, type ShownApproval } from '../../grants/approval-list.ts';
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
import { approvalMessages } from './messages/connection.ts';

/** Approvals of one page. */
const PAGE_APPROVALS = 50;

/** Mounts the list of approvals: which member has allowed what to which app. */
export function mountApprovals(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/apps/approvals', 'integrations.manage', async (visit) => {
    const { shop, query, language } = visit;
    const messages = approvalMessages[language];
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
      title: app === undefined ? messages.title : messages.titleOf(app.name),
      section: 'apps',
      back: isAppThere
        ? { href: visit.path(`/apps/${app.clientId}`), label: app.name }
        : { href: visit.path('/apps'), label: messages.apps },
      content: html`<p>${messages.intro}</p>
        ${app === undefined ? '' : html`<p><a href="${path}">${messages.all}</a></p>`}
        ${
          shown.length === 0
            ? emptyState(messages.none, messages.noneText)
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
  const messages = approvalMessages[language];
  return table({
    caption: messages.caption,
    columns: [
      { label: messages.when },
      { label: messages.member },
      ...(withApp ? [{ label: messages.app }] : []),
      { label: messages.allowed },
      { label: messages.state },
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
  const messages = approvalMessages[language];
  const { endedAt, endReason, member } = approval;
  if (endedAt !== null && endReason !== null) {
    return html`<div>
      ${badge(messages.ended)}
      <span class="soft small"
        >${format.dateTime(endedAt)}: ${approvalEndText(endReason, language)}</span
      >
    </div>`;
  }
  if (isInForce(approval)) return badge(messages.live, 'good');
  const why = member.isActive ? messages.expired : messages.inactive;
  return html`<div>
    ${badge(messages.outOfUse, 'warn')} <span class="soft small">${why}</span>
  </div>`;
}

/** Many repeats are a lossy line, or an app that runs twice on one approval. */
function renderRepeats(
  { language, format }: Visit,
  { repeats, lastRepeatAt }: ShownApproval,
): Markup {
  if (lastRepeatAt === null) return html``;
  const text = approvalMessages[language].repeated(repeats, format.dateTimeText(lastRepeatAt));
  return html`<div class="soft small" data-testid="repeats">${text}</div>`;
}

function renderApp(visit: Visit, { clientId, name, isRemoved }: ShownApproval['app']): Markup {
  if (isRemoved) return html`${name}`;
  return html`<a href="${visit.path(`/apps/${clientId}`)}">${name}</a>`;
}
