import { html } from 'hono/html';
import { findApp } from '../../apps/app.ts';
import { isInForce } from '../../grants/approval-in-force.ts';
import { listApprovals, type ShownApproval } from '../../grants/approval-list.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { list, pageOf } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import { scopeNames } from '../parts/scope-words.ts';
import { type Column, table } from '../parts/table.ts';
import { uuidOf } from '../query.ts';
import type { Visit } from '../visit.ts';
import { approvalMessages, connectionEndMessages } from './messages/connection.ts';

const PAGE_APPROVALS = 50;

export async function showApprovals({ db }: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const { shop, query, language } = visit;
  const messages = approvalMessages[language];
  const asked = query['app'] ?? null;
  const app = asked === null ? undefined : await findApp(db, asked);
  if (asked !== null && app?.shopId !== shop.id) return NOT_FOUND;
  const clientId = app?.clientId ?? null;
  const before = uuidOf(query['before']);
  const limit = PAGE_APPROVALS + 1;
  const found = await listApprovals(db, shop.id, { clientId, before, limit }, visit.now);
  const { rows, last } = pageOf(found, PAGE_APPROVALS);
  const path = visit.path('/apps/approvals');
  const isAppThere = app?.removedAt === null;
  return showPage({
    title: app === undefined ? messages.approvals : messages.titleOf(app.name),
    section: 'apps',
    back: isAppThere
      ? { href: visit.path(`/apps/${app.clientId}`), label: app.name }
      : { href: visit.path('/apps'), label: messages.apps },
    content: html`<p>${messages.intro}</p>
      ${app === undefined ? '' : html`<p><a href="${path}">${messages.all}</a></p>`}
      ${list(language, {
        caption: messages.caption,
        isCaptionShown: true,
        rows,
        columns: columnsOf(visit, app === undefined),
        empty: emptyState(messages.none, messages.noneText),
        paging: { path, query: { app: clientId }, name: 'before', here: before, next: last?.id },
      })}`,
  });
}

export function renderApprovals(visit: Visit, rows: readonly ShownApproval[]): Markup | '' {
  const { caption } = approvalMessages[visit.language];
  return table({ caption, isCaptionShown: true, rows, columns: columnsOf(visit, false) });
}

/** `withApp` adds a column with the app of each approval. */
function columnsOf(visit: Visit, withApp: boolean): readonly (Column<ShownApproval> | null)[] {
  const { language, format } = visit;
  const messages = approvalMessages[language];
  return [
    [messages.when, ({ createdAt }) => format.dateTime(createdAt)],
    [messages.member, ({ member }) => member.name],
    withApp ? [messages.app, ({ app }) => renderApp(visit, app)] : null,
    [messages.allowed, ({ scopes }) => scopeNames(scopes, language)],
    [
      messages.state,
      (approval) => html`${renderState(visit, approval)} ${renderRepeats(visit, approval)}`,
    ],
  ];
}

function renderState({ language, format }: Visit, approval: ShownApproval): Markup {
  const messages = approvalMessages[language];
  const { endedAt, endReason, member } = approval;
  if (endedAt !== null && endReason !== null) {
    return html`<div>
      ${badge(messages.ended)}
      <span class="soft small"
        >${format.dateTime(endedAt)}: ${connectionEndMessages[language].approval[endReason]}</span
      >
    </div>`;
  }
  if (isInForce(approval)) return badge(messages.active, 'good');
  const why = member.isActive ? messages.expired : messages.inactive;
  return html`<div>
    ${badge(messages.outOfUse, 'warn')} <span class="soft small">${why}</span>
  </div>`;
}

/** Many repeats point to a lossy connection, or to an app that runs twice on one approval. */
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
