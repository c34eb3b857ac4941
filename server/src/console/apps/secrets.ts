import { html } from 'hono/html';
import { addAppSecret, listAppSecrets, removeAppSecret } from '../../apps/app-secret.ts';
import type { App } from '../../apps/app.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { callout } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { setOneTimeSecret } from '../one-time-secret.ts';
import { secretMessages } from './messages/key.ts';

export async function addSecret(
  deps: ConsoleDeps,
  context: RequestContext,
  app: App,
): Promise<ConsoleResponse> {
  const { shop, now, actor, language } = context;
  const added = await deps.write(
    shop.id,
    async (tx) => await addAppSecret(tx, shop.id, app.clientId, now, actor),
  );
  switch (added.kind) {
    case 'unknown':
      return NOT_FOUND;
    case 'too_many':
      return await showSecrets(deps, context, app, secretMessages[language].full);
    case 'added': {
      const path = context.shopPath(`/apps/${app.clientId}/secret`);
      const isSecure = deps.publicUrl.startsWith('https:');
      return redirectTo(path, null, [setOneTimeSecret(context, path, added.secret, isSecure)]);
    }
  }
}

export async function removeSecret(
  deps: ConsoleDeps,
  context: RequestContext,
  app: App,
): Promise<ConsoleResponse> {
  const { shop, now, actor, language } = context;
  const secretId = parseUuid(context.params['secretId']);
  if (secretId === null) return NOT_FOUND;
  const result = await deps.write(
    shop.id,
    async (tx) => await removeAppSecret(tx, shop.id, app.clientId, secretId, now, actor),
  );
  switch (result) {
    case 'unknown':
      return NOT_FOUND;
    case 'last':
      return await showSecrets(deps, context, app, secretMessages[language].last);
    case 'removed':
      return redirectTo(context.shopPath(`/apps/${app.clientId}/secrets`), 'secret_removed');
  }
}

export async function showSecrets(
  { db }: ConsoleDeps,
  context: RequestContext,
  app: App,
  error: string | null = null,
): Promise<ConsoleResponse> {
  const secrets = await listAppSecrets(db, context.shop.id, app.clientId);
  const { language, format } = context;
  const messages = secretMessages[language];
  const appPath = context.shopPath(`/apps/${app.clientId}`);
  const isFull = secrets.length > 1;
  const nameOf = (index: number): string =>
    !isFull ? messages.only : index === 0 ? messages.newer : messages.older;
  return showPage({
    title: messages.titleOf(app.name),
    section: 'apps',
    status: error === null ? 200 : 422,
    back: { href: appPath, label: app.name },
    content: html`${error === null ? '' : html`<div role="alert">${callout('bad', error)}</div>`}
      <p>${messages.intro}</p>
      <section class="sheet">
        ${table({
          caption: messages.title,
          isCaptionShown: true,
          rows: secrets,
          columns: [
            [messages.secret, (_, index) => nameOf(index)],
            [messages.created, ({ createdAt }) => format.dateTime(createdAt)],
            [
              messages.actions,
              ({ id }, index) =>
                isFull
                  ? linkButton({
                      href: `${appPath}/secrets/${id}/remove`,
                      label: messages.remove,
                      kind: 'danger',
                      about: nameOf(index),
                    })
                  : '',
              'buttons',
            ],
          ],
        })}
        ${isFull ? html`<p class="soft small">${messages.full}</p>` : actionButton(context, { action: `${appPath}/secrets`, label: messages.add, kind: 'first' })}
      </section>
      <section class="sheet">
        <h2>${messages.steps}</h2>
        <ol>
          ${messages.step.map((step) => html`<li>${step}</li>`)}
        </ol>
      </section>`,
  });
}

export async function confirmRemoveSecret(
  { db }: ConsoleDeps,
  context: RequestContext,
  { clientId, name }: App,
): Promise<ConsoleResponse> {
  const secrets = await listAppSecrets(db, context.shop.id, clientId);
  const secret = secrets.find(({ id }) => id === context.params['secretId']);
  if (secret === undefined) return NOT_FOUND;
  const messages = secretMessages[context.language];
  const href = context.shopPath(`/apps/${clientId}/secrets`);
  return confirmPage(context, {
    title: messages.confirm,
    section: 'apps',
    back: { href, label: messages.titleOf(name) },
    content: html`<p>${messages.confirmText(context.format.dateTime(secret.createdAt))}</p>
      <p>${messages.leak}</p>`,
    action: `${href}/${secret.id}/remove`,
    button: messages.confirmButton,
    cancelLabel: messages.keep,
  });
}
