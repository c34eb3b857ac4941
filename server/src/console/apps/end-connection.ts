import { html } from 'hono/html';
import { endConnectionAndWebhook } from '../../webhooks/end-connection.ts';
import { goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import type { SectionRoutes } from '../section.ts';
import { findConnectionOfVisit } from './app-of-shop.ts';
import { endConnectionMessages } from './messages/connection.ts';

/** Mounts the end of a connection by its shop: what it means first. */
export function mountEndConnection(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  const route = '/connections/:id/end';
  routes.page(route, 'integrations.manage', async (visit) => {
    const connection = await findConnectionOfVisit(db, visit);
    if (connection === undefined) return NOT_FOUND;
    const path = visit.path(`/connections/${connection.id}`);
    if (connection.status !== 'active') return goTo(path, 'unchanged');
    const messages = endConnectionMessages[visit.language];
    return showPage({
      title: messages.title(connection.app.name),
      section: 'apps',
      back: { href: path, label: messages.back },
      content: html`<section class="sheet">
        <h2>${messages.ends}</h2>
        <ul>
          ${messages.points.map((point) => html`<li>${point}</li>`)}
        </ul>
        <h2>${messages.after}</h2>
        <p>${messages.afterText}</p>
        <div class="actions">
          ${actionButton(visit, { action: `${path}/end`, label: messages.button, kind: 'danger' })}
          ${linkButton({ href: path, label: messages.keep })}
        </div>
      </section>`,
    });
  });
  routes.action(route, 'integrations.manage', async (visit) => {
    const connection = await findConnectionOfVisit(db, visit);
    if (connection === undefined) return NOT_FOUND;
    const { shop, now, actor } = visit;
    const { id } = connection;
    const result = await write(
      shop.id,
      async (tx) => await endConnectionAndWebhook(tx, shop.id, id, 'shop', now, actor),
    );
    if (result === 'not_found') return NOT_FOUND;
    const flash = result === 'ended' ? 'connection_ended' : 'unchanged';
    return goTo(visit.path(`/connections/${id}`), flash);
  });
}
