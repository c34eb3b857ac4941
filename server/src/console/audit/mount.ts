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
import {
  type AuditQuery,
  DAYS,
  type Group,
  GROUPS,
  readAuditQuery,
  toFilters,
  writeActor,
} from './filters.ts';

/** Whoever manages members or apps may see what was done to them (decision 0180). */
export const AUDIT_PERMISSIONS: readonly Permission[] = ['members.manage', 'integrations.manage'];

/** A page of the list: two screens of a desk. */
const LISTED = 50;
/** Actors that one may choose from: a shop's members, apps and keys of the last 1,000 entries. */
const ACTORS_MAX = 200;

interface Words {
  readonly title: string;
  readonly lead: string;
  readonly when: string;
  readonly who: string;
  readonly what: string;
  readonly details: string;
  readonly anybody: string;
  readonly anything: string;
  readonly groups: Readonly<Record<Group, string>>;
  readonly since: string;
  readonly always: string;
  readonly days: (days: number) => string;
  readonly show: string;
  readonly about: (id: string) => string;
  readonly all: string;
  readonly csv: string;
  readonly ndjson: string;
  readonly none: string;
  readonly noneText: string;
  readonly noneOfFilter: string;
  readonly noneOfFilterText: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Audit log',
    lead: 'Every change of who may do what in this shop, kept for two years. Times are those of the shop.',
    when: 'When',
    who: 'Who',
    what: 'What was done',
    details: 'Details',
    anybody: 'Anybody',
    anything: 'Everything',
    groups: {
      apps: 'Apps',
      connections: 'Approvals, connections, webhooks',
      members: 'Members and permissions',
      accounts: 'Passwords, passkeys, sessions',
      keys: 'API keys',
    },
    since: 'Period',
    always: 'All time',
    days: (days) => (days === 1 ? 'Last 24 hours' : `Last ${days} days`),
    show: 'Show',
    about: (id) => `Only what concerns ${id}.`,
    all: 'Show everything',
    csv: 'Export as CSV',
    ndjson: 'Export as NDJSON',
    none: 'Nothing has happened yet',
    noneText: 'As soon as somebody changes who may do what, it is listed here.',
    noneOfFilter: 'Nothing matches',
    noneOfFilterText: 'Choose another person, another time, or everything.',
  },
  ja: {
    title: '監査ログ',
    lead: 'このショップで「誰が何をできるか」の変更をすべて記録し、2 年間保存します。日時はショップのタイムゾーンです。',
    when: '日時',
    who: '実行者',
    what: '内容',
    details: '詳細',
    anybody: 'すべての実行者',
    anything: 'すべての内容',
    groups: {
      apps: 'アプリ',
      connections: '承認・接続・Webhook',
      members: 'メンバーと権限',
      accounts: 'パスワード・パスキー・セッション',
      keys: 'API キー',
    },
    since: '期間',
    always: '全期間',
    days: (days) => (days === 1 ? '過去 24 時間' : `過去 ${days} 日`),
    show: '表示',
    about: (id) => `${id} に関する記録だけを表示しています。`,
    all: 'すべて表示',
    csv: 'CSV で書き出す',
    ndjson: 'NDJSON で書き出す',
    none: 'まだ記録はありません',
    noneText: '権限に関わる変更があると、ここに表示されます。',
    noneOfFilter: '該当する記録はありません',
    noneOfFilterText: '実行者や期間を変えるか、すべてを表示してください。',
  },
};

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
    const text = WORDS[language];
    return showPage({
      title: text.title,
      section: 'audit',
      isWide: true,
      tools: renderExports(visit, query),
      content: html`<p class="soft">${text.lead}</p>
        ${renderFilters(visit, query, actors)} ${renderAbout(visit, query, entries)}
        <section class="sheet">
          ${entries.length === 0 ? renderNone(query, text) : renderEntries(visit, entries)}
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
  const text = WORDS[visit.language];
  const whole = { ...query, before: null };
  return html`${linkButton({ href: addressOf(visit, whole, '/export.csv'), label: text.csv })}
  ${linkButton({ href: addressOf(visit, whole, '/export.ndjson'), label: text.ndjson })}`;
}

function renderFilters(visit: Visit, query: AuditQuery, actors: readonly AuditActor[]): Markup {
  const { language } = visit;
  const text = WORDS[language];
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
      label: text.who,
      value: query.who,
      choices: [{ value: '', label: text.anybody }, ...people, ...others],
    })}
    ${selectField({
      name: 'what',
      label: text.what,
      value: query.what,
      choices: [
        { value: '', label: text.anything },
        ...GROUPS.map((group) => ({ value: group, label: text.groups[group] })),
      ],
    })}
    ${selectField({
      name: 'since',
      label: text.since,
      value: query.since === null ? null : String(query.since),
      choices: [
        { value: '', label: text.always },
        ...DAYS.map((days) => ({ value: String(days), label: text.days(days) })),
      ],
    })}
    ${query.about === null ? '' : html`<input type="hidden" name="about" value="${query.about}" />`}
    ${submitButton(text.show, 'second')}
  </form>`;
}

/** Whose entries alone are shown, by the name of the newest of them, and the way back to all. */
function renderAbout(
  visit: Visit,
  query: AuditQuery,
  [newest]: readonly AuditEntry[],
): Markup | '' {
  if (query.about === null) return '';
  const text = WORDS[visit.language];
  const name = newest === undefined ? query.about : subjectName(newest.subject);
  return html`<p>
    ${text.about(name)}
    <a href="${addressOf(visit, { ...query, about: null, before: null })}">${text.all}</a>
  </p>`;
}

function renderNone(query: AuditQuery, text: Words): Markup {
  const { who, what, since, about, before } = query;
  const isFiltered = [who, what, since, about, before].some((each) => each !== null);
  return isFiltered
    ? emptyState(text.noneOfFilter, text.noneOfFilterText)
    : emptyState(text.none, text.noneText);
}

function renderEntries(visit: Visit, entries: readonly AuditEntry[]): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  return table({
    caption: text.title,
    isCaptionUnseen: true,
    columns: [
      { label: text.when },
      { label: text.who },
      { label: text.what },
      { label: text.details },
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
