import { html } from 'hono/html';
import { type App, lockApp, type NewApp } from '../../apps/app.ts';
import { changeApp } from '../../apps/change-app.ts';
import type { Transaction } from '../../database/database.ts';
import type { Language } from '../../html/language.ts';
import { changeRedirectUris, findWebhookToRemove } from '../../webhooks/change-redirect-uris.ts';
import { redirectTo, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { handleForm, type Edit, type Form, type SaveResult, showForm } from '../parts/form/form.ts';
import { checkboxField } from '../parts/field.ts';
import { callout } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { RequestContext } from '../request-context.ts';
import { appFields } from './app-fields.ts';
import { findAppByPath } from './find-by-path.ts';
import { editAppMessages } from './messages/app.ts';

/** Returns a sentence that warns that the webhook at `url` is removed if the form is saved. */
export function webhookRemovalWarning(url: string, language: Language): string {
  return editAppMessages[language].lost(url);
}

export function mountAppEdit(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  routes.page('/apps/:clientId/edit', 'integrations.manage', async (context) => {
    const app = await findAppByPath(db, context);
    return app === undefined
      ? NOT_FOUND
      : await showForm(context, formOf(context, app), valuesOf(app));
  });
  routes.action('/apps/:clientId/edit', 'integrations.manage', async (context) => {
    const app = await findAppByPath(db, context);
    if (app === undefined) return NOT_FOUND;
    return await handleForm(context, formOf(context, app), async (edit) =>
      write(context.shop.id, async (tx) => await save(tx, context, app.clientId, edit)),
    );
  });
}

/**
 * Saves the edit under the app's lock. Registering a webhook takes the same lock, so the checks for
 * conflicts and for a webhook that would be removed stay true until the commit.
 */
async function save(
  tx: Transaction,
  { shop, now, actor, form, shopPath, language }: RequestContext,
  clientId: string,
  { change: { redirectUris, ...change }, hasConflict }: Edit<NewApp>,
): Promise<SaveResult<NewApp>> {
  const app = await lockApp(tx, shop.id, clientId);
  if (app === undefined) return NOT_FOUND;
  if (hasConflict(valuesOf(app))) return { kind: 'overtaken', now: valuesOf(app) };
  const lost =
    redirectUris === undefined
      ? null
      : await findWebhookToRemove(tx, shop.id, clientId, redirectUris);
  if (lost !== null && !form.has('lose_webhook')) return confirmWebhookRemoval(lost, language);
  const changed = await changeApp(tx, shop.id, clientId, change, now, actor);
  if (changed.kind === 'unknown') return NOT_FOUND;
  if (changed.kind === 'invalid') {
    return { kind: 'refused', errors: [{ field: null, text: changed.reason }] };
  }
  const back = shopPath(`/apps/${clientId}`);
  if (redirectUris === undefined) {
    return redirectTo(back, changed.kind === 'changed' ? 'saved' : 'unchanged');
  }
  const moved = await changeRedirectUris(tx, clientId, redirectUris, now, actor);
  // Only a throw rolls back the change above. The form has accepted the URIs, so this is a bug.
  if (moved.kind !== 'changed') throw new Error(`redirect URIs were refused: ${moved.kind}`);
  return redirectTo(back, moved.removedWebhookUrl === null ? 'saved' : 'webhook_lost');
}

/** Refuses to save until the member ticks the box that confirms the removal of the webhook. */
function confirmWebhookRemoval(url: string, language: Language): SaveResult<NewApp> {
  const messages = editAppMessages[language];
  return {
    kind: 'refused',
    errors: [{ field: 'lose_webhook', text: messages.confirmFault }],
    end: html`${callout('warn', messages.lost(url))}
    ${checkboxField({ name: 'lose_webhook', label: messages.confirm, isTicked: false })}`,
  };
}

function valuesOf({ name, contactEmail, redirectUris, scopes, sharesCost }: App): NewApp {
  return { name, contactEmail, redirectUris, scopes, sharesCost };
}

function formOf(context: RequestContext, { name, clientId }: App): Form<NewApp> {
  const messages = editAppMessages[context.language];
  const href = context.shopPath(`/apps/${clientId}`);
  return {
    page: {
      title: messages.title(name),
      section: 'apps',
      scripts: ['redirect-uris'],
      back: { href, label: name },
    },
    action: `${href}/edit`,
    intro: html`<p>${messages.scopes}</p>`,
    fields: appFields(context, clientId),
  };
}
