import { html } from 'hono/html';
import { listAttempts } from '../../webhooks/attempt-log.ts';
import { endConnectionAndWebhook } from '../../webhooks/end-connection.ts';
import type { ShownConnection } from '../../webhooks/shown-connection.ts';
import { askForTrial } from '../../webhooks/trial.ts';
import { type ConsoleAnswer, fragment, goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { uuidOf, withQuery } from '../query.ts';
import type { Visit } from '../visit.ts';
import { STRIP_ATTEMPTS } from './attempt-strip.ts';
import { showConnection } from './connection-page.ts';
import { renderProgress } from './notice-progress.ts';
import { endConnectionMessages } from './messages/connection.ts';
import { noticeMessages } from './messages/delivery.ts';

export async function sendNotice(
  deps: ConsoleDeps,
  visit: Visit,
  connection: ShownConnection,
): Promise<ConsoleAnswer> {
  const { shop, now, language } = visit;
  const { id } = connection;
  const asked = await deps.write(shop.id, async (tx) => await askForTrial(tx, shop.id, id, now));
  if (asked.kind === 'not_found') return NOT_FOUND;
  if (asked.kind !== 'asked') {
    const fault = noticeMessages[language].refused[asked.kind];
    return await showConnection(deps, visit, connection, fault);
  }
  const path = visit.path(`/connections/${id}`);
  return goTo(`${withQuery(path, { notice: asked.eventId })}#notice`);
}

/** Polled by the page's script until the attempt has a result. */
export async function showProgress(
  { db }: ConsoleDeps,
  visit: Visit,
  { id }: ShownConnection,
): Promise<ConsoleAnswer> {
  const eventId = uuidOf(visit.query['event']);
  if (eventId === null) return NOT_FOUND;
  const newest = { before: null, limit: STRIP_ATTEMPTS };
  const attempts = (await listAttempts(db, visit.shop.id, id, newest)) ?? [];
  return fragment(renderProgress(visit, id, eventId, attempts));
}

/** Explains what ends with a connection, and asks for confirmation. */
export async function confirmEnd(
  _deps: ConsoleDeps,
  visit: Visit,
  { id, status, app }: ShownConnection,
): Promise<ConsoleAnswer> {
  const path = visit.path(`/connections/${id}`);
  if (status !== 'active') return goTo(path, 'unchanged');
  const messages = endConnectionMessages[visit.language];
  return confirmPage(visit, {
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
    keep: messages.keep,
  });
}

export async function end(
  { write }: ConsoleDeps,
  { shop, now, actor, path }: Visit,
  { id }: ShownConnection,
): Promise<ConsoleAnswer> {
  const result = await write(
    shop.id,
    async (tx) => await endConnectionAndWebhook(tx, shop.id, id, 'shop', now, actor),
  );
  if (result === 'not_found') return NOT_FOUND;
  return goTo(path(`/connections/${id}`), result === 'ended' ? 'connection_ended' : 'unchanged');
}
