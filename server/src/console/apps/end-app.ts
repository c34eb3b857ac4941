import { html } from 'hono/html';
import { type App, setAppEnabled } from '../../apps/app.ts';
import { removeAppAndWebhook } from '../../webhooks/end-connection.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { textField } from '../parts/field.ts';
import { type FormFault, faultOf, faultSummary } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { deleteAppMessages, switchAppMessages } from './messages/app.ts';

export async function confirmDisable(
  _deps: ConsoleDeps,
  visit: Visit,
  { clientId, name }: App,
): Promise<ConsoleAnswer> {
  const path = visit.path(`/apps/${clientId}`);
  const messages = switchAppMessages[visit.language];
  return confirmPage(visit, {
    title: messages.title(name),
    section: 'apps',
    back: { href: path, label: name },
    content: html`<p>${messages.means}</p>
      <ul>
        ${messages.points.map((point) => html`<li>${point}</li>`)}
      </ul>`,
    action: `${path}/disable`,
    button: messages.button,
    keep: messages.keep,
  });
}

/** Switches an app off or on. */
export function switchApp(
  isEnabled: boolean,
): (deps: ConsoleDeps, visit: Visit, app: App) => Promise<ConsoleAnswer> {
  return async ({ write }, { shop, now, actor, path }, { clientId }) => {
    const changed = await write(
      shop.id,
      async (tx) => await setAppEnabled(tx, clientId, isEnabled, now, actor),
    );
    if (changed === undefined) return NOT_FOUND;
    return goTo(path(`/apps/${clientId}`), isEnabled ? 'app_enabled' : 'app_disabled');
  };
}

/** A warning that asks the member to type the app's name. */
export async function confirmDelete(
  _deps: ConsoleDeps,
  visit: Visit,
  app: App,
): Promise<ConsoleAnswer> {
  return showWarning(visit, app, null);
}

export async function deleteApp(
  { write }: ConsoleDeps,
  visit: Visit,
  app: App,
): Promise<ConsoleAnswer> {
  const { shop, now, actor, form } = visit;
  const typed = form.get('name') ?? '';
  // NFC: input methods compose the same letters differently.
  if (typed.trim().normalize('NFC') !== app.name.normalize('NFC')) {
    return showWarning(visit, app, typed);
  }
  const isRemoved = await write(
    shop.id,
    async (tx) => await removeAppAndWebhook(tx, app.clientId, now, actor),
  );
  return isRemoved ? goTo(visit.path('/apps'), 'app_deleted') : NOT_FOUND;
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
