import { html } from 'hono/html';
import type { StockUnitDetails } from '../../inventory/stock-unit.ts';
import type { Markup } from '../../pages/page.ts';
import type { ShownConnection } from '../../webhooks/shown-connection.ts';
import { badge } from '../parts/badge.ts';
import { facts } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { unitMessages } from './messages/unit.ts';

/** Connections listed by name, at most. */
const READERS_SHOWN_MAX = 100;

/**
 * A unit's position in the feed, and which apps have read past it. Their names are for members who
 * manage apps.
 */
export function renderFeed(
  visit: Visit,
  unit: StockUnitDetails,
  connections: readonly ShownConnection[],
): Markup {
  const { language, format } = visit;
  const messages = unitMessages[language];
  return html`<section class="sheet" aria-labelledby="feed">
    <h2 id="feed">${messages.feed}</h2>
    <p class="hint">${messages.feedHint}</p>
    ${facts([
      [messages.position, format.number(unit.seq)],
      [messages.head, format.number(unit.head.seq)],
      [messages.changed, format.dateTime(unit.updatedAt)],
    ])}
    ${renderReaders(visit, unit, connections)}
  </section>`;
}

function renderReaders(
  visit: Visit,
  unit: StockUnitDetails,
  connections: readonly ShownConnection[],
): Markup {
  const messages = unitMessages[visit.language];
  if (connections.length === 0) return html`<p class="soft">${messages.noReaders}</p>`;
  // If the head advances between the two reads, an app seems further behind than it is, never
  // further ahead.
  const hasRead = ({ lag }: ShownConnection): boolean => unit.head.seq - lag.changes >= unit.seq;
  const read = connections.filter(hasRead);
  const summary = html`<p>${messages.readBy(read.length, connections.length)}</p>`;
  if (!visit.may('integrations.manage')) return summary;
  const unread = connections.filter((each) => !hasRead(each));
  const shown = [...unread, ...read].slice(0, READERS_SHOWN_MAX);
  return html`${summary}
  ${connections.length > shown.length ? html`<p class="hint">${messages.moreReaders}</p>` : ''}
  ${table({
    caption: messages.readers,
    isCaptionShown: true,
    rows: shown,
    columns: [
      [
        messages.app,
        ({ id, app }) => html`<a href="${visit.path(`/connections/${id}`)}">${app.name}</a>`,
      ],
      [
        messages.hasRead,
        (each) => (hasRead(each) ? badge(messages.yes, 'good') : badge(messages.notYet, 'warn')),
      ],
      [
        messages.lastRead,
        ({ lag }) => (lag.lastReadAt === null ? messages.never : visit.format.ago(lag.lastReadAt)),
      ],
    ],
  })}`;
}
