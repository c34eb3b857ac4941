import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import { removeAppAndWebhook } from '../../webhooks/end-connection.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { type FormFault, faultOf, faultSummary } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findAppOfVisit } from './app-of-shop.ts';
import { deleteAppMessages } from './messages/app.ts';

/** Mounts the deletion of an app: a warning on which its name has to be typed. */
export function mountDelete(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  routes.page('/apps/:clientId/delete', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    return app === undefined ? NOT_FOUND : showWarning(visit, app, null);
  });
  routes.action('/apps/:clientId/delete', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const { shop, now, actor, form } = visit;
    const typed = form.get('name') ?? '';
    // Whatever an input method composed: the same letters are the same name.
    if (typed.trim().normalize('NFC') !== app.name.normalize('NFC')) {
      return showWarning(visit, app, typed);
    }
    const { clientId } = app;
    const isRemoved = await write(
      shop.id,
      async (tx) => await removeAppAndWebhook(tx, clientId, now, actor),
    );
    return isRemoved ? goTo(visit.path('/apps'), 'app_deleted') : NOT_FOUND;
  });
}

function showWarning(visit: Visit, app: App, typed: string | null): ConsoleAnswer {
  const messages = deleteAppMessages[visit.language];
  const path = visit.path(`/apps/${app.clientId}`);
  const faults: readonly FormFault[] =
    typed === null ? [] : [{ field: 'name', text: messages.fault(app.name) }];
  return showPage({
    title: messages.title(app.name),
    section: 'apps',
    status: typed === null ? 200 : 422,
    back: { href: path, label: app.name },
    content: html`${faultSummary(messages.refused, faults)}
      <section class="sheet">
        <p><strong>${messages.means}</strong></p>
        <ul>
          ${messages.points.map((point) => html`<li>${point}</li>`)}
        </ul>
        ${
          app.isEnabled
            ? html`<p>${messages.instead} <a href="${path}/disable">${messages.disable}</a></p>`
            : ''
        }
        <form method="post" action="${path}/delete">
          ${visit.formToken}
          ${textField({
            name: 'name',
            label: messages.type,
            hint: messages.typeHint(app.name),
            value: typed ?? '',
            fault: faultOf(faults, 'name'),
            isRequired: true,
            autocomplete: 'off',
          })}
          <div class="actions">
            ${submitButton(messages.button, 'danger')}
            ${linkButton({ href: path, label: messages.keep })}
          </div>
        </form>
      </section>`,
  });
}
