import { listAttempts } from '../../webhooks/attempt-log.ts';
import { askForTrial } from '../../webhooks/trial.ts';
import { fragment, goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { withQuery } from '../parts/pager.ts';
import type { SectionRoutes } from '../section.ts';
import { findConnectionOfVisit, uuidOf } from './app-of-shop.ts';
import { STRIP_ATTEMPTS } from './attempt-strip.ts';
import { showConnection } from './connection-page.ts';
import { renderProgress } from './notice-progress.ts';
import { noticeMessages } from './messages/delivery.ts';

/** Mounts "send a notice now", and what came of it. */
export function mountNotice(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  routes.action('/connections/:id/notice', 'integrations.manage', async (visit) => {
    const connection = await findConnectionOfVisit(db, visit);
    if (connection === undefined) return NOT_FOUND;
    const { shop, now, language } = visit;
    const { id } = connection;
    const asked = await write(shop.id, async (tx) => await askForTrial(tx, shop.id, id, now));
    if (asked.kind === 'not_found') return NOT_FOUND;
    if (asked.kind !== 'asked') {
      const fault = noticeMessages[language].refused[asked.kind];
      return await showConnection(db, visit, connection, { fault });
    }
    const path = visit.path(`/connections/${id}`);
    return goTo(`${withQuery(path, { notice: asked.eventId })}#notice`);
  });
  // What the script of the page asks for until an end is reached.
  routes.page('/connections/:id/notice', 'integrations.manage', async (visit) => {
    const connection = await findConnectionOfVisit(db, visit);
    const eventId = uuidOf(visit.query['event']);
    if (connection === undefined || eventId === null) return NOT_FOUND;
    const newest = { before: null, limit: STRIP_ATTEMPTS };
    const attempts = (await listAttempts(db, visit.shop.id, connection.id, newest)) ?? [];
    return fragment(renderProgress(visit, connection.id, eventId, attempts));
  });
}
