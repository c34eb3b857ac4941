import { html } from 'hono/html';
import { listAttempts } from '../../webhooks/attempt-log.ts';
import { endConnectionAndWebhook } from '../../webhooks/end-connection.ts';
import type { ConnectionDetails } from '../../webhooks/connection-details.ts';
import { requestTestDelivery } from '../../webhooks/request-test-delivery.ts';
import { type ConsoleResponse, sendFragment, redirectTo, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { parseUuid, withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { STRIP_ATTEMPTS } from './attempt-strip.ts';
import { showConnection } from './connection-page.ts';
import { renderDeliveryProgress } from './delivery-progress.ts';
import { endConnectionMessages } from './messages/connection.ts';
import { testDeliveryMessages } from './messages/delivery.ts';

export async function sendTestDelivery(
  deps: ConsoleDeps,
  context: RequestContext,
  connection: ConnectionDetails,
): Promise<ConsoleResponse> {
  const { shop, now, language } = context;
  const { id } = connection;
  const requested = await deps.write(
    shop.id,
    async (tx) => await requestTestDelivery(tx, shop.id, id, now),
  );
  if (requested.kind === 'not_found') return NOT_FOUND;
  if (requested.kind !== 'requested') {
    const error = testDeliveryMessages[language].refused[requested.kind];
    return await showConnection(deps, context, connection, error);
  }
  const path = context.shopPath(`/connections/${id}`);
  return redirectTo(`${withQuery(path, { notice: requested.eventId })}#notice`);
}

/**
 * Shows the progress of a test delivery. The page's script polls until the attempt has a result.
 */
export async function showDeliveryProgress(
  { db }: ConsoleDeps,
  context: RequestContext,
  { id }: ConnectionDetails,
): Promise<ConsoleResponse> {
  const eventId = parseUuid(context.query['event']);
  if (eventId === null) return NOT_FOUND;
  const newest = { before: null, limit: STRIP_ATTEMPTS };
  const attempts = (await listAttempts(db, context.shop.id, id, newest)) ?? [];
  return sendFragment(renderDeliveryProgress(context, id, eventId, attempts));
}

export async function confirmEnd(
  _deps: ConsoleDeps,
  context: RequestContext,
  { id, status, app }: ConnectionDetails,
): Promise<ConsoleResponse> {
  const path = context.shopPath(`/connections/${id}`);
  if (status !== 'active') return redirectTo(path, 'unchanged');
  const messages = endConnectionMessages[context.language];
  return confirmPage(context, {
    title: messages.title(app.name),
    section: 'apps',
    back: { href: path, label: messages.connection },
    content: html`<h2>${messages.ends}</h2>
      <ul>
        ${messages.points.map((point) => html`<li>${point}</li>`)}
      </ul>
      <h2>${messages.after}</h2>
      <p>${messages.afterText}</p>`,
    action: `${path}/end`,
    button: messages.button,
    cancelLabel: messages.keep,
  });
}

export async function endConnection(
  { write }: ConsoleDeps,
  { shop, now, actor, shopPath }: RequestContext,
  { id }: ConnectionDetails,
): Promise<ConsoleResponse> {
  const result = await write(
    shop.id,
    async (tx) => await endConnectionAndWebhook(tx, shop.id, id, 'shop', now, actor),
  );
  if (result === 'not_found') return NOT_FOUND;
  return redirectTo(
    shopPath(`/connections/${id}`),
    result === 'ended' ? 'connection_ended' : 'unchanged',
  );
}
