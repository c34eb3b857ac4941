import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { AppCare, ConnectionCare } from '../../webhooks/app-care.ts';
import type { NoticeHours } from '../../webhooks/notice-hour.ts';
import { type Health, healthBadge, healthOf, lagText, lastReadText } from '../apps/health.ts';
import { badge } from '../parts/badge.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { renderNoticePlot } from './notices.ts';

/** Apps that are shown: those that do worst. */
const SHOWN_APPS = 6;

interface Words {
  readonly heading: string;
  readonly caption: string;
  readonly counts: (shown: string, all: string) => string;
  readonly app: string;
  readonly state: string;
  readonly lag: string;
  readonly lastRead: string;
  readonly webhook: string;
  readonly none: string;
  readonly works: string;
  readonly fails: string;
  readonly paused: string;
  readonly removed: string;
  readonly all: string;
  readonly noApps: string;
  readonly noAppsText: string;
  readonly register: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    heading: 'Connected apps',
    caption: 'Connected apps, those that need care first',
    counts: (shown, all) => `${shown} of ${all} connected apps`,
    app: 'App',
    state: 'State',
    lag: 'Lag',
    lastRead: 'Last read',
    webhook: 'Webhook',
    none: 'None',
    works: 'Working',
    fails: 'Failing',
    paused: 'Paused',
    removed: 'Removed',
    all: 'All apps',
    noApps: 'No app is connected',
    noAppsText: 'Register an app, and let it ask a member for its approval.',
    register: 'Register an app',
  },
  ja: {
    heading: '接続中のアプリ',
    caption: '接続中のアプリ（確認が必要なものから）',
    counts: (shown, all) => `接続中のアプリ ${all} 件のうち ${shown} 件`,
    app: 'アプリ',
    state: '状態',
    lag: '遅れ',
    lastRead: '最終読み取り',
    webhook: 'Webhook',
    none: 'なし',
    works: '正常',
    fails: '失敗中',
    paused: '停止中',
    removed: '削除済み',
    all: 'アプリをすべて見る',
    noApps: '接続中のアプリはありません',
    noAppsText: 'アプリを登録すると、アプリからメンバーに承認を求められるようになります。',
    register: 'アプリを登録',
  },
};

/** The worst first. */
const RANKS: Readonly<Record<Health, number>> = {
  unapproved: 0,
  failing: 1,
  behind: 2,
  disabled: 3,
  good: 4,
  not_connected: 5,
};

interface ShownApp {
  readonly app: AppCare;
  readonly connection: ConnectionCare;
  readonly health: Health;
}

/** The connected apps that need care first, as many as a glance takes, with a link to all, and what they were told. */
export function renderApps(visit: Visit, apps: readonly AppCare[], notices: NoticeHours): Markup {
  const { format } = visit;
  const text = WORDS[visit.language];
  const connected = sortByHealth(apps, visit.now);
  const shown = connected.slice(0, SHOWN_APPS);
  return html`<section class="sheet" aria-labelledby="apps">
    <h2 id="apps">${text.heading}</h2>
    ${
      shown.length < connected.length
        ? html`<p class="soft">
            ${text.counts(format.number(shown.length), format.number(connected.length))}
          </p>`
        : ''
    }
    ${shown.length === 0 ? renderNone(visit, text) : renderTable(visit, shown, text)}
    <p class="to-all"><a href="${visit.path('/apps')}">${text.all}</a></p>
    ${connected.length === 0 && notices.hours.length === 0 ? '' : renderNoticePlot(visit, notices)}
  </section>`;
}

function sortByHealth(apps: readonly AppCare[], now: Date): ShownApp[] {
  const shown = apps.flatMap((app): ShownApp[] => {
    const { connection, isEnabled } = app;
    if (connection === null) return [];
    const facts = { ...connection, failingSince: connection.failing?.since ?? null };
    return [{ app, connection, health: healthOf({ isEnabled, connection: facts }, now) }];
  });
  // Apps come by name, and the sort is stable.
  return shown.toSorted(
    (a, b) =>
      RANKS[a.health] - RANKS[b.health] || b.connection.lagChanges - a.connection.lagChanges,
  );
}

function renderNone(visit: Visit, text: Words): Markup {
  const register = linkButton({ href: visit.path('/apps/new'), label: text.register });
  return emptyState(text.noApps, text.noAppsText, register);
}

function renderTable(visit: Visit, shown: readonly ShownApp[], text: Words): Markup {
  const { language, format } = visit;
  return table({
    caption: text.caption,
    isCaptionUnseen: true,
    columns: [
      { label: text.app },
      { label: text.state },
      { label: text.lag },
      { label: text.lastRead },
      { label: text.webhook },
    ],
    rows: shown.map(({ app, connection, health }) => [
      html`<a href="${visit.path(`/connections/${connection.connectionId}`)}">${app.name}</a>`,
      healthBadge(health, language),
      lagText(connection, format),
      lastReadText(connection.lastReadAt, format),
      renderWebhook(app, connection, text),
    ]),
  });
}

function renderWebhook(
  { isEnabled }: AppCare,
  { hasWebhook, failing, removed }: ConnectionCare,
  text: Words,
): Markup {
  if (!hasWebhook) return badge(removed === null ? text.none : text.removed);
  if (!isEnabled) return badge(text.paused, 'warn');
  return failing === null ? badge(text.works, 'good') : badge(text.fails, 'bad');
}
