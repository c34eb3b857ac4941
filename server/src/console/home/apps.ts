import { html } from 'hono/html';
import type { MessagesOf } from '../../html/messages.ts';
import type { Markup } from '../../html/page.ts';
import type { AppOverview, ConnectionOverview } from '../../webhooks/app-overview.ts';
import { type Health, healthBadge, healthOf, lagText, lastReadText } from '../parts/app-health.ts';
import { badge } from '../parts/badge.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { homeAppMessages } from './messages.ts';

/** The number of apps on Home: those with the worst health. */
const SHOWN_APPS = 6;

const RANKS: Readonly<Record<Health, number>> = {
  unapproved: 0,
  failing: 1,
  behind: 2,
  disabled: 3,
  good: 4,
  not_connected: 5,
};

interface ShownApp {
  readonly app: AppOverview;
  readonly connection: ConnectionOverview;
  readonly health: Health;
}

/** Renders at most six connected apps, those that need attention first, with a link to all apps. */
export function renderApps(context: RequestContext, apps: readonly AppOverview[]): Markup {
  const { format } = context;
  const messages = homeAppMessages[context.language];
  const connected = sortByHealth(apps, context.now);
  const shown = connected.slice(0, SHOWN_APPS);
  return html`<section class="sheet" aria-labelledby="apps">
    <h2 id="apps">${messages.heading}</h2>
    ${
      shown.length < connected.length
        ? html`<p class="soft">
            ${messages.counts(format.number(shown.length), format.number(connected.length))}
          </p>`
        : ''
    }
    ${renderTable(context, shown, messages)}
    <p class="to-all"><a href="${context.shopPath('/apps')}">${messages.all}</a></p>
  </section>`;
}

function sortByHealth(apps: readonly AppOverview[], now: Date): ShownApp[] {
  const shown = apps.flatMap((app): ShownApp[] => {
    const { connection } = app;
    return connection === null ? [] : [{ app, connection, health: healthOf(app, now) }];
  });
  // The apps are already sorted by name, and this sort is stable.
  return shown.toSorted(
    (a, b) =>
      RANKS[a.health] - RANKS[b.health] || b.connection.lagChanges - a.connection.lagChanges,
  );
}

function renderNone(context: RequestContext, messages: MessagesOf<typeof homeAppMessages>): Markup {
  const register = linkButton({ href: context.shopPath('/apps/new'), label: messages.registerApp });
  return emptyState(messages.noApps, messages.noAppsText, register);
}

function renderTable(
  context: RequestContext,
  shown: readonly ShownApp[],
  messages: MessagesOf<typeof homeAppMessages>,
): Markup | '' {
  const { language, format } = context;
  return table({
    caption: messages.caption,
    rows: shown,
    columns: [
      [
        messages.app,
        ({ app, connection }) =>
          html`<a href="${context.shopPath(`/connections/${connection.connectionId}`)}"
            >${app.name}</a
          >`,
      ],
      [messages.state, ({ health }) => healthBadge(health, language)],
      [messages.lag, ({ connection }) => lagText(connection, format)],
      [messages.lastRead, ({ connection }) => lastReadText(connection.lastReadAt, format)],
      [messages.webhook, ({ app, connection }) => renderWebhook(app, connection, messages)],
    ],
    empty: renderNone(context, messages),
  });
}

function renderWebhook(
  { isEnabled }: AppOverview,
  { hasWebhook, failingSince, removed }: ConnectionOverview,
  messages: MessagesOf<typeof homeAppMessages>,
): Markup {
  if (!hasWebhook) return badge(removed === null ? messages.none : messages.removed);
  if (!isEnabled) return badge(messages.paused, 'warn');
  return failingSince === null ? badge(messages.works, 'good') : badge(messages.fails, 'bad');
}
