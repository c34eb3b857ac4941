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
import { linkButton, submitButton } from '../parts/button.ts';
import { selectField } from '../parts/field.ts';
import { emptyState } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import type { MountSection, SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { sentenceOf } from './action-words.ts';
import { describeDetails } from './detail-words.ts';
import { actorKindWords, actorName, subjectName } from './entry-words.ts';
import { exportCsv, exportNdjson } from './export.ts';
import { type AuditQuery, DAYS, GROUPS, readAuditQuery, toFilters, writeActor } from './filters.ts';
import type { MessagesOf } from '../../pages/messages.ts';
import { auditMessages } from './messages.ts';

/** Whoever manages members or apps may see what was done to them (decision 0180). */
export const AUDIT_PERMISSIONS: readonly Permission[] = ['members.manage', 'integrations.manage'];

/** A page of the list: two screens of a desk. */
const LISTED = 50;
/** Actors that one may choose from: a shop's members, apps and keys of the last 1,000 entries. */
const ACTORS_MAX = 200;

/** Mounts the page of the audit and its exports. */
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
    const entries = found.slice(0, LISTED);
    const nextBefore = found.length > LISTED ? (entries.at(-1)?.id ?? null) : null;
    const messages = auditMessages[language];
    return showPage({
      title: messages.title,
      section: 'audit',
      isWide: true,
      tools: renderExports(visit, query),
      content: html`<p class="soft">${messages.lead}</p>
        ${renderFilters(visit, query, actors)} ${renderAbout(visit, query, entries)}
        <section class="sheet">
          ${entries.length === 0 ? renderNone(query, messages) : renderEntries(visit, entries)}
        </section>
        ${pager(language, {
          firstHref: query.before === null ? null : addressOf(visit, { ...query, before: null }),
          nextHref: nextBefore === null ? null : addressOf(visit, { ...query, before: nextBefore }),
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

/** `audit-kumo-2026-06-01.csv`: the day of UTC. */
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
  // One of an older page is none of the newest: it stays chosen all the same.
  const { who } = query;
  const isListed = who === null || people.some(({ value }) => value === who);
  const others = isListed ? [] : [{ value: who, label: who }];
  return html`<form class="filters" method="get" action="${visit.path('/audit')}">
    ${selectField({
      name: 'who',
      label: messages.who,
      value: query.who,
      choices: [{ value: '', label: messages.anybody }, ...people, ...others],
    })}
    ${selectField({
      name: 'what',
      label: messages.what,
      value: query.what,
      choices: [
        { value: '', label: messages.anything },
        ...GROUPS.map((group) => ({ value: group, label: messages.groups[group] })),
      ],
    })}
    ${selectField({
      name: 'since',
      label: messages.since,
      value: query.since === null ? null : String(query.since),
      choices: [
        { value: '', label: messages.always },
        ...DAYS.map((days) => ({ value: String(days), label: messages.days(days) })),
      ],
    })}
    ${query.about === null ? '' : html`<input type="hidden" name="about" value="${query.about}" />`}
    ${submitButton(messages.show, 'second')}
  </form>`;
}

/** Whose entries alone are shown, by the name of the newest of them, and the way back to all. */
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

function renderNone(query: AuditQuery, messages: MessagesOf<typeof auditMessages>): Markup {
  const { who, what, since, about, before } = query;
  const isFiltered = [who, what, since, about, before].some((each) => each !== null);
  return isFiltered
    ? emptyState(messages.noneOfFilter, messages.noneOfFilterText)
    : emptyState(messages.none, messages.noneText);
}

function renderEntries(visit: Visit, entries: readonly AuditEntry[]): Markup {
  const { language, format } = visit;
  const messages = auditMessages[language];
  return table({
    caption: messages.title,
    isCaptionUnseen: true,
    columns: [
      { label: messages.when },
      { label: messages.who },
      { label: messages.what },
      { label: messages.details },
    ],
    rows: entries.map((entry) => [
      format.dateTime(entry.happenedAt),
      html`<div>
        ${actorName(entry.actor, language)}
        ${
          entry.actor.id === null
            ? ''
            : html`<span class="soft small below"
                >${actorKindWords(entry.actor.kind, language)}</span
              >`
        }
      </div>`,
      renderSentence(visit, entry),
      renderDetails(entry, language),
    ]),
  });
}

/** The subject leads to all that concerned it. */
function renderSentence(visit: Visit, { action, subject }: AuditEntry): Markup {
  const { before, behind } = sentenceOf(action, visit.language);
  const href = withQuery(visit.path('/audit'), { about: subject.id });
  // One piece: a cell that is stacked on a phone lays out each of its children by itself.
  return html`<span>${before}<a href="${href}">${subjectName(subject)}</a>${behind}</span>`;
}

function renderDetails({ details }: AuditEntry, language: Language): Markup | string {
  const pairs = describeDetails(details, language);
  if (pairs.length === 0) return '–';
  return html`<ul class="details">
    ${pairs.map(([label, value]) => html`<li><span class="soft">${label}:</span> ${value}</li>`)}
  </ul>`;
}
