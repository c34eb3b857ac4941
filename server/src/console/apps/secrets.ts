import { html } from 'hono/html';
import { addAppSecret, listAppSecrets, removeAppSecret } from '../../apps/app-secret.ts';
import type { App } from '../../apps/app.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { note } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import { uuidOf } from '../query.ts';
import type { Visit } from '../visit.ts';
import { carryOnce } from './shown-once.ts';
import { secretMessages } from './messages/key.ts';

export async function addSecret(deps: ConsoleDeps, visit: Visit, app: App): Promise<ConsoleAnswer> {
  const { shop, now, actor, language } = visit;
  const added = await deps.write(
    shop.id,
    async (tx) => await addAppSecret(tx, shop.id, app.clientId, now, actor),
  );
  switch (added.kind) {
    case 'unknown':
      return NOT_FOUND;
    case 'too_many':
      return await showSecrets(deps, visit, app, secretMessages[language].full);
    case 'added': {
      const path = visit.path(`/apps/${app.clientId}/secret`);
      const isSecure = deps.publicUrl.startsWith('https:');
      return goTo(path, null, [carryOnce(visit, path, added.secret, isSecure)]);
    }
  }
}

export async function removeSecret(
  deps: ConsoleDeps,
  visit: Visit,
  app: App,
): Promise<ConsoleAnswer> {
  const { shop, now, actor, language } = visit;
  const secretId = uuidOf(visit.params['secretId']);
  if (secretId === null) return NOT_FOUND;
  const result = await deps.write(
    shop.id,
    async (tx) => await removeAppSecret(tx, shop.id, app.clientId, secretId, now, actor),
  );
  switch (result) {
    case 'unknown':
      return NOT_FOUND;
    case 'last':
      return await showSecrets(deps, visit, app, secretMessages[language].last);
    case 'removed':
      return goTo(visit.path(`/apps/${app.clientId}/secrets`), 'secret_removed');
  }
}

/** The secrets of an app, and rotating them. */
export async function showSecrets(
  { db }: ConsoleDeps,
  visit: Visit,
  app: App,
  fault: string | null = null,
): Promise<ConsoleAnswer> {
  const secrets = await listAppSecrets(db, visit.shop.id, app.clientId);
  const { language, format } = visit;
  const messages = secretMessages[language];
  const appPath = visit.path(`/apps/${app.clientId}`);
  const isFull = secrets.length > 1;
  const nameOf = (index: number): string =>
    !isFull ? messages.only : index === 0 ? messages.newer : messages.older;
  return showPage({
    title: messages.titleOf(app.name),
    section: 'apps',
    status: fault === null ? 200 : 422,
    back: { href: appPath, label: app.name },
    content: html`${fault === null ? '' : html`<div role="alert">${note('bad', fault)}</div>`}
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
        ${isFull ? html`<p class="soft small">${messages.full}</p>` : actionButton(visit, { action: `${appPath}/secrets`, label: messages.add, kind: 'first' })}
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
  visit: Visit,
  { clientId, name }: App,
): Promise<ConsoleAnswer> {
  const secrets = await listAppSecrets(db, visit.shop.id, clientId);
  const secret = secrets.find(({ id }) => id === visit.params['secretId']);
  if (secret === undefined) return NOT_FOUND;
  const messages = secretMessages[visit.language];
  const href = visit.path(`/apps/${clientId}/secrets`);
  return confirmPage(visit, {
    title: messages.confirm,
    section: 'apps',
    back: { href, label: messages.titleOf(name) },
    content: html`<p>${messages.confirmText(visit.format.dateTime(secret.createdAt))}</p>
      <p>${messages.leak}</p>`,
    action: `${href}/${secret.id}/remove`,
    button: messages.confirmButton,
    keep: messages.keep,
  });
}
