import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import {
  addAppSecret,
  type AppSecret,
  listAppSecrets,
  removeAppSecret,
} from '../../apps/app-secret.ts';
import { isUuid } from '../../base/field.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { note } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findAppOfVisit } from './app-of-shop.ts';
import { carryOnce } from './shown-once.ts';
import { secretMessages } from './messages/key.ts';

/** Mounts the secrets of an app: the change-over from one to the next. */
export function mountSecrets(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db, publicUrl, write } = deps;
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/apps/:clientId/secrets', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const secrets = await listAppSecrets(db, visit.shop.id, app.clientId);
    return showSecrets(visit, app, secrets, null);
  });
  routes.action('/apps/:clientId/secrets', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const { shop, now, actor, language } = visit;
    const added = await write(
      shop.id,
      async (tx) => await addAppSecret(tx, shop.id, app.clientId, now, actor),
    );
    switch (added.kind) {
      case 'unknown':
        return NOT_FOUND;
      case 'too_many': {
        const secrets = await listAppSecrets(db, shop.id, app.clientId);
        return showSecrets(visit, app, secrets, secretMessages[language].full);
      }
      case 'added': {
        const path = visit.path(`/apps/${app.clientId}/secret`);
        return goTo(path, null, [carryOnce(visit, path, added.secret, isSecure)]);
      }
    }
  });
  mountRemoval(routes, deps);
}

function mountRemoval(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  const path = '/apps/:clientId/secrets/:secretId/remove';
  routes.page(path, 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const secrets = await listAppSecrets(db, visit.shop.id, app.clientId);
    const secret = secrets.find(({ id }) => id === visit.params['secretId']);
    return secret === undefined ? NOT_FOUND : showRemoval(visit, app, secret);
  });
  routes.action(path, 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    const { secretId = '' } = visit.params;
    if (app === undefined || !isUuid(secretId)) return NOT_FOUND;
    const { shop, now, actor, language } = visit;
    const result = await write(
      shop.id,
      async (tx) => await removeAppSecret(tx, shop.id, app.clientId, secretId, now, actor),
    );
    switch (result) {
      case 'unknown':
        return NOT_FOUND;
      case 'last': {
        const secrets = await listAppSecrets(db, shop.id, app.clientId);
        return showSecrets(visit, app, secrets, secretMessages[language].last);
      }
      case 'removed':
        return goTo(visit.path(`/apps/${app.clientId}/secrets`), 'secret_removed');
    }
  });
}

function showSecrets(
  visit: Visit,
  app: App,
  secrets: readonly AppSecret[],
  fault: string | null,
): ConsoleAnswer {
  const { language, format } = visit;
  const messages = secretMessages[language];
  const appPath = visit.path(`/apps/${app.clientId}`);
  const isFull = secrets.length > 1;
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
          columns: [
            { label: messages.secret },
            { label: messages.created },
            { label: messages.action, isLabelUnseen: true },
          ],
          rows: secrets.map(({ id, createdAt }, index) => {
            const name = !isFull ? messages.only : index === 0 ? messages.newer : messages.older;
            const href = `${appPath}/secrets/${id}/remove`;
            return [
              name,
              format.dateTime(createdAt),
              isFull
                ? linkButton({ href, label: messages.remove, kind: 'danger', about: name })
                : '',
            ];
          }),
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

function showRemoval(visit: Visit, app: App, { id, createdAt }: AppSecret): ConsoleAnswer {
  const messages = secretMessages[visit.language];
  const back = visit.path(`/apps/${app.clientId}/secrets`);
  return showPage({
    title: messages.confirm,
    section: 'apps',
    back: { href: back, label: messages.titleOf(app.name) },
    content: html`<section class="sheet">
      <p>${messages.confirmText(visit.format.dateTime(createdAt))}</p>
      <p>${messages.leak}</p>
      <div class="actions">
        ${actionButton(visit, { action: `${back}/${id}/remove`, label: messages.confirmButton, kind: 'danger' })}
        ${linkButton({ href: back, label: messages.keep })}
      </div>
    </section>`,
  });
}
