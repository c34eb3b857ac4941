import { html } from 'hono/html';
import { setAppEnabled } from '../../apps/app.ts';
import { goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import type { SectionRoutes } from '../section.ts';
import { findAppOfVisit } from './app-of-shop.ts';
import { switchAppMessages } from './messages/app.ts';

/** Mounts what switches an app off, for a while, and on again. */
export function mountSwitch(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  routes.page('/apps/:clientId/disable', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const path = visit.path(`/apps/${app.clientId}`);
    const messages = switchAppMessages[visit.language];
    return showPage({
      title: messages.title(app.name),
      section: 'apps',
      back: { href: path, label: app.name },
      content: html`<section class="sheet">
        <p>${messages.means}</p>
        <ul>
          ${messages.points.map((point) => html`<li>${point}</li>`)}
        </ul>
        <div class="actions">
          ${actionButton(visit, { action: `${path}/disable`, label: messages.button, kind: 'danger' })}
          ${linkButton({ href: path, label: messages.keep })}
        </div>
      </section>`,
    });
  });
  for (const word of ['disable', 'enable'] as const) {
    routes.action(`/apps/:clientId/${word}`, 'integrations.manage', async (visit) => {
      const app = await findAppOfVisit(db, visit);
      if (app === undefined) return NOT_FOUND;
      const { shop, now, actor } = visit;
      const { clientId } = app;
      const isEnabled = word === 'enable';
      const changed = await write(
        shop.id,
        async (tx) => await setAppEnabled(tx, clientId, isEnabled, now, actor),
      );
      if (changed === undefined) return NOT_FOUND;
      return goTo(visit.path(`/apps/${clientId}`), isEnabled ? 'app_enabled' : 'app_disabled');
    });
  }
}
