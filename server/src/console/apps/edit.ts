import { html } from 'hono/html';
import type { App, NewApp } from '../../apps/app.ts';
import { changeApp, lockApp } from '../../apps/change-app.ts';
import type { Transaction } from '../../database/database.ts';
import type { Language } from '../../pages/language.ts';
import { changeRedirectUris, findWebhookLostBy } from '../../webhooks/redirect-uris.ts';
import { goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { answerForm, type Edit, type Form, type Saved, showForm } from '../parts/form/form.ts';
import { boxField } from '../parts/field.ts';
import { note } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { appFields } from './app-fields.ts';
import { findAppOfVisit } from './app-of-shop.ts';
import { editAppMessages } from './messages/app.ts';

/** Says, in a sentence, what losing a webhook's origin means. */
export function lostWebhookText(url: string, language: Language): string {
  return editAppMessages[language].lost(url);
}

export function mountEdit(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  routes.page('/apps/:clientId/edit', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    return app === undefined ? NOT_FOUND : await showForm(visit, formOf(visit, app), valuesOf(app));
  });
  routes.action('/apps/:clientId/edit', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    return await answerForm(visit, formOf(visit, app), async (edit) =>
      write(visit.shop.id, async (tx) => await save(tx, visit, app.clientId, edit)),
    );
  });
}

/**
 * Compares and looks for a lost webhook under the lock of the app, which registering a webhook
 * takes too.
 */
async function save(
  tx: Transaction,
  { shop, now, actor, form, path, language }: Visit,
  clientId: string,
  { change: { redirectUris, ...change }, isOvertaken }: Edit<NewApp>,
): Promise<Saved<NewApp>> {
  const app = await lockApp(tx, shop.id, clientId);
  if (app === undefined) return NOT_FOUND;
  if (isOvertaken(valuesOf(app))) return { kind: 'overtaken', now: valuesOf(app) };
  const lost =
    redirectUris === undefined
      ? null
      : await findWebhookLostBy(tx, shop.id, clientId, redirectUris);
  if (lost !== null && !form.has('lose_webhook')) return askToLose(lost, language);
  const changed = await changeApp(tx, shop.id, clientId, change, now, actor);
  if (changed.kind === 'unknown') return NOT_FOUND;
  if (changed.kind === 'invalid') {
    return { kind: 'refused', faults: [{ field: null, text: changed.reason }] };
  }
  const back = path(`/apps/${clientId}`);
  if (redirectUris === undefined) {
    return goTo(back, changed.kind === 'changed' ? 'saved' : 'unchanged');
  }
  const moved = await changeRedirectUris(tx, clientId, redirectUris, now, actor);
  // Only a throw rolls back the change above. The form has accepted the URIs, so a refusal here is
  // a bug.
  if (moved.kind !== 'changed') throw new Error(`redirect URIs were refused: ${moved.kind}`);
  return goTo(back, moved.removedWebhookUrl === null ? 'saved' : 'webhook_lost');
}

/** The webhook is removed only after the member ticks the box. */
function askToLose(url: string, language: Language): Saved<NewApp> {
  const messages = editAppMessages[language];
  return {
    kind: 'refused',
    faults: [{ field: 'lose_webhook', text: messages.confirmFault }],
    end: html`${note('warn', messages.lost(url))}
    ${boxField({ name: 'lose_webhook', label: messages.confirm, isTicked: false })}`,
  };
}

function valuesOf({ name, contactEmail, redirectUris, scopes, sharesCost }: App): NewApp {
  return { name, contactEmail, redirectUris, scopes, sharesCost };
}

function formOf(visit: Visit, { name, clientId }: App): Form<NewApp> {
  const messages = editAppMessages[visit.language];
  const href = visit.path(`/apps/${clientId}`);
  return {
    page: {
      title: messages.title(name),
      section: 'apps',
      scripts: ['redirect-uris'],
      back: { href, label: name },
    },
    action: `${href}/edit`,
    intro: html`<p>${messages.scopes}</p>`,
    fields: appFields(visit, clientId),
  };
}
