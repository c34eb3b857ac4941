import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import {
  type AuditActor,
  type AuditEntry,
  listAudit,
  listAuditActors,
} from '../../shops/audit-log.ts';
import type { Permission } from '../../shops/permission.ts';
import { sendFile, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { filterForm, pagedTable, trimToPage } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import type { Column } from '../parts/table.ts';
import { withQuery } from '../query.ts';
import type { MountSection, SectionRoutes } from '../section.ts';
import type { RequestContext } from '../request-context.ts';
import {
  actorKindName,
  actorName,
  describeDetails,
  splitSentence,
  subjectName,
} from './entry-text.ts';
import { exportCsv, exportNdjson } from './export.ts';
import {
  type AuditQuery,
  PERIOD_DAYS,
  ACTION_GROUPS,
  parseAuditQuery,
  toFilters,
  formatActor,
} from './filters.ts';
import { auditMessages } from './messages.ts';

/** A member with either permission may read the audit log (decision 0180). */
export const AUDIT_PERMISSIONS: readonly Permission[] = ['members.manage', 'integrations.manage'];

/** The number of entries on one page. */
const PAGE_ENTRIES = 50;
/**
 * The maximum number of actors in the filter, which offers the shop's members, and the apps and
 * keys of the last 1,000 entries.
 */
const ACTORS_MAX = 200;

export const mountAudit: MountSection = (routes, deps) => {
  mountList(routes, deps);
  mountExports(routes, deps);
};

function mountList(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/audit', AUDIT_PERMISSIONS, async (context) => {
    const { shop, now, language } = context;
    const query = parseAuditQuery(context.query);
    const page = { ...toFilters(query, now), before: query.before, limit: PAGE_ENTRIES + 1 };
    const [found, actors] = await Promise.all([
      listAudit(db, shop.id, page),
      listAuditActors(db, shop.id, ACTORS_MAX),
    ]);
    const { rows, last } = trimToPage(found, PAGE_ENTRIES);
    const messages = auditMessages[language];
    return showPage({
      title: messages.title,
      section: 'audit',
      isWide: true,
      headerActions: renderExports(context, query),
      content: html`<p class="soft">${messages.lead}</p>
        ${renderFilters(context, query, actors)} ${renderAbout(context, query, rows)}
        ${pagedTable(language, {
          caption: messages.title,
          rows,
          columns: columnsOf(context),
          empty: renderNone(context, query),
          paging: {
            path: context.shopPath('/audit'),
            query: { ...query, before: null },
            name: 'before',
            here: query.before,
            next: last?.id,
          },
        })}`,
    });
  });
}

function mountExports(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/audit/export.csv', AUDIT_PERMISSIONS, async (context) => {
    const filters = toFilters(parseAuditQuery(context.query), context.now);
    const lines = exportCsv(db, context.shop.id, filters, context.language);
    return sendFile(fileNameOf(context, 'csv'), 'text/csv; charset=utf-8; header=present', lines);
  });
  routes.page('/audit/export.ndjson', AUDIT_PERMISSIONS, async (context) => {
    const filters = toFilters(parseAuditQuery(context.query), context.now);
    const lines = exportNdjson(db, context.shop.id, filters);
    return sendFile(fileNameOf(context, 'ndjson'), 'application/x-ndjson; charset=utf-8', lines);
  });
}

/** Returns a file name with the day in UTC, such as `audit-kumo-2026-06-01.csv`. */
function fileNameOf({ shop, now }: RequestContext, ending: string): string {
  return `audit-${shop.slug}-${now.toISOString().slice(0, 10)}.${ending}`;
}

function auditPath(context: RequestContext, query: AuditQuery, sub = ''): string {
  return withQuery(context.shopPath(`/audit${sub}`), { ...query });
}

function renderExports(context: RequestContext, query: AuditQuery): Markup {
  const messages = auditMessages[context.language];
  const whole = { ...query, before: null };
  return html`${linkButton({ href: auditPath(context, whole, '/export.csv'), label: messages.csv })}
  ${linkButton({ href: auditPath(context, whole, '/export.ndjson'), label: messages.ndjson })}`;
}

function renderFilters(
  context: RequestContext,
  query: AuditQuery,
  actors: readonly AuditActor[],
): Markup {
  const { language } = context;
  const messages = auditMessages[language];
  const people = actors.map((actor) => ({
    value: formatActor(actor),
    label:
      actor.id === null
        ? actorKindName(actor.kind, language)
        : `${actorName(actor, language)} (${actorKindName(actor.kind, language)})`,
  }));
  // Add the actor in the filter if it is not in the list, so that the filter stays selected.
  const { who } = query;
  const isListed = who === null || people.some(({ value }) => value === who);
  const others = isListed ? [] : [{ value: who, label: who }];
  return filterForm(context.shopPath('/audit'), {
    filters: [
      {
        name: 'who',
        label: messages.who,
        value: who,
        any: messages.anybody,
        choices: [...people, ...others],
      },
      {
        name: 'what',
        label: messages.what,
        value: query.what,
        any: messages.anything,
        choices: ACTION_GROUPS.map((group) => ({ value: group, label: messages.groups[group] })),
      },
      {
        name: 'since',
        label: messages.since,
        value: query.since,
        any: messages.always,
        choices: PERIOD_DAYS.map((days) => ({ value: String(days), label: messages.days(days) })),
      },
    ],
    hidden: { about: query.about },
    submit: messages.show,
  });
}

/**
 * Renders the subject that the list is filtered by, with the name from the newest entry, and a link
 * back to all entries.
 */
function renderAbout(
  context: RequestContext,
  query: AuditQuery,
  [newest]: readonly AuditEntry[],
): Markup | '' {
  if (query.about === null) return '';
  const messages = auditMessages[context.language];
  const name = newest === undefined ? query.about : subjectName(newest.subject);
  return html`<p>
    ${messages.about(name)}
    <a href="${auditPath(context, { ...query, about: null, before: null })}">${messages.all}</a>
  </p>`;
}

function renderNone({ language }: RequestContext, query: AuditQuery): Markup {
  const messages = auditMessages[language];
  return Object.values(query).some((each) => each !== null)
    ? emptyState(messages.noneOfFilter, messages.noneOfFilterText)
    : emptyState(messages.none, messages.noneText);
}

function columnsOf(context: RequestContext): readonly Column<AuditEntry>[] {
  const { language, format } = context;
  const messages = auditMessages[language];
  return [
    [messages.when, ({ happenedAt }) => format.dateTime(happenedAt)],
    [messages.who, ({ actor }) => renderActor(actor, language)],
    [messages.what, (entry) => renderSentence(context, entry)],
    [messages.details, (entry) => renderDetails(entry, language)],
  ];
}

function renderActor(actor: AuditEntry['actor'], language: Language): Markup {
  const kind = actorKindName(actor.kind, language);
  return html`<div>
    ${actorName(actor, language)}
    ${actor.id === null ? '' : html`<span class="soft small below">${kind}</span>`}
  </div>`;
}

/** Renders the action as a sentence. The subject links to every entry about that subject. */
function renderSentence(context: RequestContext, { action, subject }: AuditEntry): Markup {
  const { before, after } = splitSentence(action, context.language);
  const href = withQuery(context.shopPath('/audit'), { about: subject.id });
  // Use a single element, because a cell stacked on a phone lays out each child separately.
  return html`<span>${before}<a href="${href}">${subjectName(subject)}</a>${after}</span>`;
}

function renderDetails({ details }: AuditEntry, language: Language): Markup | string {
  const pairs = describeDetails(details, language);
  if (pairs.length === 0) return '–';
  return html`<ul class="details">
    ${pairs.map(([label, value]) => html`<li><span class="soft">${label}:</span> ${value}</li>`)}
  </ul>`;
}
