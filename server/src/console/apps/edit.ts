import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import { changeApp, lockApp } from '../../apps/change-app.ts';
import type { Transaction } from '../../database/database.ts';
import type { Language } from '../../pages/language.ts';
import { changeRedirectUris, findWebhookLostBy } from '../../webhooks/redirect-uris.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FlashCode } from '../flash.ts';
import { boxField } from '../parts/field.ts';
import { type FormFault, note } from '../parts/notes.ts';
import { scopeNames } from '../parts/scope-words.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import {
  type AppFormValues,
  judgeAppForm,
  markOf,
  readAppForm,
  renderAppForm,
  valuesOf,
} from './app-form.ts';
import { findAppOfVisit } from './app-of-shop.ts';
import { editAppMessages } from './messages/app.ts';

/** What it means that a webhook's origin is lost, in a sentence. */
export function lostWebhookText(url: string, language: Language): string {
  return editAppMessages[language].lost(url);
}

/** Mounts the form that changes an app. */
export function mountEdit(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  routes.page('/apps/:clientId/edit', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    return app === undefined ? NOT_FOUND : showForm(visit, app, valuesOf(app), [], null);
  });
  routes.action('/apps/:clientId/edit', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const { clientId } = app;
    const values = readAppForm(visit);
    const { app: asked, faults } = judgeAppForm(values, visit.language);
    if (faults.length > 0) return showForm(visit, app, values, faults, null);
    const saved = await write(visit.shop.id, async (tx) => await save(tx, visit, clientId, asked));
    switch (saved.kind) {
      case 'unknown':
        return NOT_FOUND;
      case 'stale': {
        const changed = differences(visit, asked, saved.app);
        return showForm(visit, saved.app, values, changed, null);
      }
      case 'loses_webhook': {
        const text = editAppMessages[visit.language].confirmFault;
        return showForm(visit, app, values, [{ field: 'lose_webhook', text }], saved.url);
      }
      case 'invalid':
        return showForm(visit, app, values, [{ field: null, text: saved.reason }], null);
      case 'saved':
        return goTo(visit.path(`/apps/${clientId}`), saved.flash);
    }
  });
}

type Asked = Pick<App, 'name' | 'contactEmail' | 'scopes' | 'sharesCost' | 'redirectUris'>;

type Saved =
  | { readonly kind: 'saved'; readonly flash: FlashCode }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Somebody else has changed since what the form showed. */
  | { readonly kind: 'stale'; readonly app: App }
  /** It goes only when that was ticked. */
  | { readonly kind: 'loses_webhook'; readonly url: string }
  | { readonly kind: 'unknown' };

/** What the member saw, and whether a webhook is lost, is judged under the lock that a webhook waits for too. */
async function save(
  tx: Transaction,
  { shop, now, actor, form }: Visit,
  clientId: string,
  asked: Asked,
): Promise<Saved> {
  const app = await lockApp(tx, shop.id, clientId);
  if (app === undefined) return { kind: 'unknown' };
  if (markOf(app) !== form.get('seen')) return { kind: 'stale', app };
  const { redirectUris, ...change } = asked;
  const lost = await findWebhookLostBy(tx, shop.id, clientId, redirectUris);
  if (lost !== null && !form.has('lose_webhook')) return { kind: 'loses_webhook', url: lost };
  const changed = await changeApp(tx, shop.id, clientId, change, now, actor);
  if (changed.kind === 'invalid' || changed.kind === 'unknown') return changed;
  const isSame = redirectUris.join('\n') === app.redirectUris.join('\n');
  if (isSame) return { kind: 'saved', flash: changed.kind === 'changed' ? 'saved' : 'unchanged' };
  const moved = await changeRedirectUris(tx, clientId, redirectUris, now, actor);
  // What was changed before is undone with the transaction only by a fault: the form's own check has let them pass.
  if (moved.kind !== 'changed') throw new Error(`redirect URIs were refused: ${moved.kind}`);
  return { kind: 'saved', flash: moved.removedWebhookUrl === null ? 'saved' : 'webhook_lost' };
}

/** What somebody else has made of what this member wants otherwise, at each field. */
function differences({ language }: Visit, asked: Asked, app: App): readonly FormFault[] {
  const messages = editAppMessages[language];
  const pairs: readonly (readonly [field: string, wanted: string, now: string])[] = [
    ['name', asked.name, app.name],
    ['contact_email', asked.contactEmail ?? '', app.contactEmail ?? ''],
    ['redirect_uris', asked.redirectUris.join(' '), app.redirectUris.join(' ')],
    ['scopes', scopeNames(asked.scopes, language), scopeNames(app.scopes, language)],
  ];
  const faults: FormFault[] = [{ field: null, text: messages.stale }];
  for (const [field, wanted, now] of pairs) {
    if (wanted !== now) {
      faults.push({ field, text: messages.now(now === '' ? messages.empty : now) });
    }
  }
  if (asked.sharesCost !== app.sharesCost) {
    faults.push({ field: 'shares_cost', text: messages.cost(app.sharesCost) });
  }
  return faults;
}

function showForm(
  visit: Visit,
  app: App,
  values: AppFormValues,
  faults: readonly FormFault[],
  lostWebhookUrl: string | null,
): ConsoleAnswer {
  const { language } = visit;
  const messages = editAppMessages[language];
  const back = visit.path(`/apps/${app.clientId}`);
  const warning =
    lostWebhookUrl === null
      ? html``
      : html`${note('warn', messages.lost(lostWebhookUrl))}
        ${boxField({ name: 'lose_webhook', label: messages.confirm, isTicked: false })}`;
  return showPage({
    title: messages.title(app.name),
    section: 'apps',
    status: faults.length === 0 ? 200 : 422,
    scripts: ['redirect-uris'],
    back: { href: back, label: app.name },
    content: html`<p>${messages.scopes}</p>
      ${renderAppForm(visit, {
        action: `${back}/edit`,
        values,
        faults,
        submit: messages.submit,
        clientId: app.clientId,
        seen: markOf(app),
        warning,
      })}`,
  });
}
