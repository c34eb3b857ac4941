import { html } from 'hono/html';
import type { StockUnitDetails } from '../../inventory/stock-unit.ts';
import type { Markup } from '../../html/page.ts';
import type { ConnectionDetails } from '../../webhooks/connection-details.ts';
import { badge } from '../parts/badge.ts';
import { descriptionList } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { unitMessages } from './messages/unit.ts';

/** The maximum number of connections listed by name. */
const READERS_SHOWN_MAX = 100;

/**
 * Renders how many apps have read the latest change of a unit. Members who manage apps also see the
 * position of the change in the change feed and the names of the apps.
 */
export function renderReadProgress(
  context: RequestContext,
  unit: StockUnitDetails,
  connections: readonly ConnectionDetails[],
): Markup {
  const { language, format } = context;
  const messages = unitMessages[language];
  return html`<section class="sheet" aria-labelledby="feed">
    <h2 id="feed">${messages.feed}</h2>
    ${
      context.can('integrations.manage')
        ? html`<p class="hint">${messages.feedHint}</p>
            ${descriptionList([
              [messages.position, format.number(unit.seq)],
              [messages.head, format.number(unit.head.seq)],
            ])}`
        : ''
    }
    ${renderReaders(context, unit, connections)}
  </section>`;
}

function renderReaders(
  context: RequestContext,
  unit: StockUnitDetails,
  connections: readonly ConnectionDetails[],
): Markup {
  const messages = unitMessages[context.language];
  if (connections.length === 0) return html`<p class="soft">${messages.noReaders}</p>`;
  // If the head advances between the two reads, an app can only seem further behind than it is.
  const hasRead = ({ lag }: ConnectionDetails): boolean => unit.head.seq - lag.changes >= unit.seq;
  const read = connections.filter(hasRead);
  const summary = html`<p>${messages.readBy(read.length, connections.length)}</p>`;
  if (!context.can('integrations.manage')) return summary;
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
        ({ id, app }) => html`<a href="${context.shopPath(`/connections/${id}`)}">${app.name}</a>`,
      ],
      [
        messages.hasRead,
        (each) => (hasRead(each) ? badge(messages.yes, 'good') : badge(messages.notYet, 'warn')),
      ],
      [
        messages.lastRead,
        ({ lag }) =>
          lag.lastReadAt === null ? messages.never : context.format.ago(lag.lastReadAt),
      ],
    ],
  })}`;
}
