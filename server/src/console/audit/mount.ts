import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import {
  type AuditActor,
  type AuditEntry,
  listAudit,
  listAuditActors,
} from '../../shops/audit-log.ts';
import type { Permission } from '../../shops/permission.ts';
import { file, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { filterForm, list, pageOf } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import type { Column } from '../parts/table.ts';
import { withQuery } from '../query.ts';
import type { MountSection, SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import {
  actorKindWords,
  actorName,
  describeDetails,
  sentenceOf,
  subjectName,
} from './entry-words.ts';
import { exportCsv, exportNdjson } from './export.ts';
import { type AuditQuery, DAYS, GROUPS, readAuditQuery, toFilters, writeActor } from './filters.ts';
import { auditMessages } from './messages.ts';

/** Members who manage members or apps may see what was done to them (decision 0180). */
export const AUDIT_PERMISSIONS: readonly Permission[] = ['members.manage', 'integrations.manage'];

/** Entries on one page. */
const LISTED = 50;
/**
 * Actors offered by the filter: a shop's members, and the apps and keys of the last 1,000 entries.
 */
const ACTORS_MAX = 200;

export const mountAudit: MountSection = (routes, deps) => {
  mountList(routes, deps);
  mountExports(routes, deps);
};

function mountList(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/audit', AUDIT_PERMISSIONS, async (visit) => {
    const { shop, now, language } = visit;
    const query = readAuditQuery(visit.query);
    const page = { ...toFilters(query, now), before: query.before, limit: LISTED + 1 };
    const [found, actors] = await Promise.all([
      listAudit(db, shop.id, page),
      listAuditActors(db, shop.id, ACTORS_MAX),
    ]);
    const { rows, last } = pageOf(found, LISTED);
    const messages = auditMessages[language];
    return showPage({
      title: messages.title,
      section: 'audit',
      isWide: true,
      tools: renderExports(visit, query),
      content: html`<p class="soft">${messages.lead}</p>
        ${renderFilters(visit, query, actors)} ${renderAbout(visit, query, rows)}
        ${list(language, {
          caption: messages.title,
          rows,
          columns: columnsOf(visit),
          empty: renderNone(visit, query),
          paging: {
            path: visit.path('/audit'),
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
  routes.page('/audit/export.csv', AUDIT_PERMISSIONS, async (visit) => {
    const filters = toFilters(readAuditQuery(visit.query), visit.now);
    const lines = exportCsv(db, visit.shop.id, filters, visit.language);
    return file(nameOf(visit, 'csv'), 'text/csv; charset=utf-8; header=present', lines);
  });
  routes.page('/audit/export.ndjson', AUDIT_PERMISSIONS, async (visit) => {
    const filters = toFilters(readAuditQuery(visit.query), visit.now);
    const lines = exportNdjson(db, visit.shop.id, filters);
    return file(nameOf(visit, 'ndjson'), 'application/x-ndjson; charset=utf-8', lines);
  });
}

/** `audit-kumo-2026-06-01.csv`: the day in UTC. */
function nameOf({ shop, now }: Visit, ending: string): string {
  return `audit-${shop.slug}-${now.toISOString().slice(0, 10)}.${ending}`;
}

function addressOf(visit: Visit, query: AuditQuery, sub = ''): string {
  return withQuery(visit.path(`/audit${sub}`), { ...query });
}

function renderExports(visit: Visit, query: AuditQuery): Markup {
  const messages = auditMessages[visit.language];
  const whole = { ...query, before: null };
  return html`${linkButton({ href: addressOf(visit, whole, '/export.csv'), label: messages.csv })}
  ${linkButton({ href: addressOf(visit, whole, '/export.ndjson'), label: messages.ndjson })}`;
}

function renderFilters(visit: Visit, query: AuditQuery, actors: readonly AuditActor[]): Markup {
  const { language } = visit;
  const messages = auditMessages[language];
  const people = actors.map((actor) => ({
    value: writeActor(actor),
    label:
      actor.id === null
        ? actorKindWords(actor.kind, language)
        : `${actorName(actor, language)} (${actorKindWords(actor.kind, language)})`,
  }));
  // The filter may name an actor who is not in the list: keep them selected.
  const { who } = query;
  const isListed = who === null || people.some(({ value }) => value === who);
  const others = isListed ? [] : [{ value: who, label: who }];
  return filterForm(visit.path('/audit'), {
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
        choices: GROUPS.map((group) => ({ value: group, label: messages.groups[group] })),
      },
      {
        name: 'since',
        label: messages.since,
        value: query.since,
        any: messages.always,
        choices: DAYS.map((days) => ({ value: String(days), label: messages.days(days) })),
      },
    ],
    kept: { about: query.about },
    submit: messages.show,
  });
}

/**
 * Names the subject that the list is filtered by, as in its newest entry, and links back to all
 * entries.
 */
function renderAbout(
  visit: Visit,
  query: AuditQuery,
  [newest]: readonly AuditEntry[],
): Markup | '' {
  if (query.about === null) return '';
  const messages = auditMessages[visit.language];
  const name = newest === undefined ? query.about : subjectName(newest.subject);
  return html`<p>
    ${messages.about(name)}
    <a href="${addressOf(visit, { ...query, about: null, before: null })}">${messages.all}</a>
  </p>`;
}

function renderNone({ language }: Visit, query: AuditQuery): Markup {
  const messages = auditMessages[language];
  return Object.values(query).some((each) => each !== null)
    ? emptyState(messages.noneOfFilter, messages.noneOfFilterText)
    : emptyState(messages.none, messages.noneText);
}

function columnsOf(visit: Visit): readonly Column<AuditEntry>[] {
  const { language, format } = visit;
  const messages = auditMessages[language];
  return [
    [messages.when, ({ happenedAt }) => format.dateTime(happenedAt)],
    [messages.who, ({ actor }) => renderActor(actor, language)],
    [messages.what, (entry) => renderSentence(visit, entry)],
    [messages.details, (entry) => renderDetails(entry, language)],
  ];
}

function renderActor(actor: AuditEntry['actor'], language: Language): Markup {
  const kind = actorKindWords(actor.kind, language);
  return html`<div>
    ${actorName(actor, language)}
    ${actor.id === null ? '' : html`<span class="soft small below">${kind}</span>`}
  </div>`;
}

/** The subject links to every entry about it. */
function renderSentence(visit: Visit, { action, subject }: AuditEntry): Markup {
  const { before, behind } = sentenceOf(action, visit.language);
  const href = withQuery(visit.path('/audit'), { about: subject.id });
  // A single element: a cell stacked on a phone lays out each child separately.
  return html`<span>${before}<a href="${href}">${subjectName(subject)}</a>${behind}</span>`;
}

function renderDetails({ details }: AuditEntry, language: Language): Markup | string {
  const pairs = describeDetails(details, language);
  if (pairs.length === 0) return '–';
  return html`<ul class="details">
    ${pairs.map(([label, value]) => html`<li><span class="soft">${label}:</span> ${value}</li>`)}
  </ul>`;
}
