import { html } from 'hono/html';
import { findApp } from '../../apps/app.ts';
import { isInForce } from '../../approvals/approval-in-force.ts';
import { listApprovals, type ListedApproval } from '../../approvals/approval-list.ts';
import type { Markup } from '../../html/page.ts';
import { type ConsoleResponse, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { pagedTable, trimToPage } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import { scopeNames } from '../parts/scope-text.ts';
import { type Column, table } from '../parts/table.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { approvalMessages, connectionEndMessages } from './messages/connection.ts';

const PAGE_APPROVALS = 50;

export async function showApprovals(
  { db }: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { shop, query, language } = context;
  const messages = approvalMessages[language];
  const requestedId = query['app'] ?? null;
  const app = requestedId === null ? undefined : await findApp(db, requestedId);
  if (requestedId !== null && app?.shopId !== shop.id) return NOT_FOUND;
  const clientId = app?.clientId ?? null;
  const before = parseUuid(query['before']);
  const limit = PAGE_APPROVALS + 1;
  const found = await listApprovals(db, shop.id, { clientId, before, limit }, context.now);
  const { rows, last } = trimToPage(found, PAGE_APPROVALS);
  const path = context.shopPath('/apps/approvals');
  const hasApp = app?.removedAt === null;
  return showPage({
    title: app === undefined ? messages.approvals : messages.titleOf(app.name),
    section: 'apps',
    back: hasApp
      ? { href: context.shopPath(`/apps/${app.clientId}`), label: app.name }
      : { href: context.shopPath('/apps'), label: messages.apps },
    content: html`<p>${messages.intro}</p>
      ${app === undefined ? '' : html`<p><a href="${path}">${messages.all}</a></p>`}
      ${pagedTable(language, {
        caption: messages.caption,
        isCaptionShown: true,
        rows,
        columns: columnsOf(context, app === undefined),
        empty: emptyState(messages.none, messages.noneText),
        paging: { path, query: { app: clientId }, name: 'before', here: before, next: last?.id },
      })}`,
  });
}

export function renderApprovals(
  context: RequestContext,
  rows: readonly ListedApproval[],
): Markup | '' {
  const { caption } = approvalMessages[context.language];
  return table({ caption, isCaptionShown: true, rows, columns: columnsOf(context, false) });
}

function columnsOf(
  context: RequestContext,
  withApp: boolean,
): readonly (Column<ListedApproval> | null)[] {
  const { language, format } = context;
  const messages = approvalMessages[language];
  return [
    [messages.when, ({ createdAt }) => format.dateTime(createdAt)],
    [messages.member, ({ member }) => member.name],
    withApp ? [messages.app, ({ app }) => renderApp(context, app)] : null,
    [messages.allowed, ({ scopes }) => scopeNames(scopes, language)],
    [
      messages.state,
      (approval) => html`${renderState(context, approval)} ${renderRepeats(context, approval)}`,
    ],
  ];
}

function renderState({ language, format }: RequestContext, approval: ListedApproval): Markup {
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

/**
 * Renders how often a token response was resent. A high number suggests a lossy network, or two
 * instances of an app that share one approval.
 */
function renderRepeats(
  { language, format }: RequestContext,
  { repeats, lastRepeatAt }: ListedApproval,
): Markup {
  if (lastRepeatAt === null) return html``;
  const text = approvalMessages[language].repeated(repeats, format.dateTimeText(lastRepeatAt));
  return html`<div class="soft small" data-testid="repeats">${text}</div>`;
}

function renderApp(
  context: RequestContext,
  { clientId, name, isRemoved }: ListedApproval['app'],
): Markup {
  if (isRemoved) return html`${name}`;
  return html`<a href="${context.shopPath(`/apps/${clientId}`)}">${name}</a>`;
}
