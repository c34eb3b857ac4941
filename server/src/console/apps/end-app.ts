import { html } from 'hono/html';
import { type App, setAppEnabled } from '../../apps/app.ts';
import { removeAppAndWebhooks } from '../../webhooks/end-connection.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { textField } from '../parts/field.ts';
import { type FormError, errorOf, errorSummary } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { deleteAppMessages, switchAppMessages } from './messages/app.ts';

export async function confirmDisable(
  _deps: ConsoleDeps,
  context: RequestContext,
  { clientId, name }: App,
): Promise<ConsoleResponse> {
  const path = context.shopPath(`/apps/${clientId}`);
  const messages = switchAppMessages[context.language];
  return confirmPage(context, {
    title: messages.title(name),
    section: 'apps',
    back: { href: path, label: name },
    content: html`<p>${messages.means}</p>
      <ul>
        ${messages.points.map((point) => html`<li>${point}</li>`)}
      </ul>`,
    action: `${path}/disable`,
    button: messages.button,
    cancelLabel: messages.keep,
  });
}

export function setEnabledAction(
  isEnabled: boolean,
): (deps: ConsoleDeps, context: RequestContext, app: App) => Promise<ConsoleResponse> {
  return async ({ write }, { shop, now, actor, shopPath }, { clientId }) => {
    const changed = await write(
      shop.id,
      async (tx) => await setAppEnabled(tx, clientId, isEnabled, now, actor),
    );
    if (changed === undefined) return NOT_FOUND;
    return redirectTo(shopPath(`/apps/${clientId}`), isEnabled ? 'app_enabled' : 'app_disabled');
  };
}

export async function confirmDelete(
  _deps: ConsoleDeps,
  context: RequestContext,
  app: App,
): Promise<ConsoleResponse> {
  return showWarning(context, app, null);
}

export async function deleteApp(
  { write }: ConsoleDeps,
  context: RequestContext,
  app: App,
): Promise<ConsoleResponse> {
  const { shop, now, actor, form } = context;
  const typed = form.get('name') ?? '';
  // Compare in Unicode NFC, because input methods compose the same letters differently.
  if (typed.trim().normalize('NFC') !== app.name.normalize('NFC')) {
    return showWarning(context, app, typed);
  }
  const isRemoved = await write(
    shop.id,
    async (tx) => await removeAppAndWebhooks(tx, app.clientId, now, actor),
  );
  return isRemoved ? redirectTo(context.shopPath('/apps'), 'app_deleted') : NOT_FOUND;
}

function showWarning(context: RequestContext, app: App, typed: string | null): ConsoleResponse {
  const messages = deleteAppMessages[context.language];
  const path = context.shopPath(`/apps/${app.clientId}`);
  const errors: readonly FormError[] =
    typed === null ? [] : [{ field: 'name', text: messages.fault(app.name) }];
  return showPage({
    title: messages.title(app.name),
    section: 'apps',
    status: typed === null ? 200 : 422,
    back: { href: path, label: app.name },
    content: html`${errorSummary(messages.refused, errors)}
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
          ${context.formToken}
          ${textField({
            name: 'name',
            label: messages.type,
            hint: messages.typeHint(app.name),
            value: typed ?? '',
            error: errorOf(errors, 'name'),
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
