import { html } from 'hono/html';
import { findApp, type NewApp, registerApp } from '../../apps/app.ts';
import { findWebhookToRemove } from '../../webhooks/change-redirect-uris.ts';
import { sendFragment, redirectTo } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { handleForm, type Form, showForm } from '../parts/form/form.ts';
import { callout } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { RequestContext } from '../request-context.ts';
import { appFields } from './app-fields.ts';
import { webhookRemovalWarning } from './edit.ts';
import { renderLineCheck, findLineErrors, splitLines } from './redirect-uri-lines.ts';
import { setOneTimeSecret } from '../one-time-secret.ts';
import { appRegistrationMessages } from './messages/app.ts';

/** Mounts the registration of an app, and the check of redirect URIs during typing. */
export function mountAppRegistration(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db, publicUrl, write } = deps;
  const isSecure = publicUrl.startsWith('https:');
  // Preselect only `offline_access`; the member chooses the other scopes.
  routes.page('/apps/new', 'integrations.manage', async (context) =>
    showForm(context, formOf(context), { scopes: ['offline_access'] }),
  );
  routes.action('/apps/new', 'integrations.manage', async (context) =>
    handleForm(context, formOf(context), async ({ values }) => {
      const { shop, now, actor } = context;
      const result = await write(
        shop.id,
        async (tx) => await registerApp(tx, shop.id, values, now, actor),
      );
      if (result.kind === 'invalid') {
        return { kind: 'refused', errors: [{ field: null, text: result.reason }] };
      }
      const path = context.shopPath(`/apps/${result.app.clientId}/secret`);
      return redirectTo(path, null, [setOneTimeSecret(context, path, result.secret, isSecure)]);
    }),
  );
  // This read uses POST because the addresses may exceed the maximum length of a URL.
  routes.action('/apps/redirect-uris', 'integrations.manage', async (context) => {
    const { form, language, shop } = context;
    const lines = splitLines(form.get('redirectUris') ?? '');
    const checked = renderLineCheck(lines, language);
    if (findLineErrors(lines, language).length > 0) return sendFragment(checked);
    const app = await findApp(db, form.get('client_id') ?? '');
    if (app?.shopId !== shop.id) return sendFragment(checked);
    const lost = await findWebhookToRemove(db, shop.id, app.clientId, lines);
    if (lost === null) return sendFragment(checked);
    return sendFragment(html`${checked} ${callout('warn', webhookRemovalWarning(lost, language))}`);
  });
}

function formOf(context: RequestContext): Form<NewApp> {
  const messages = appRegistrationMessages[context.language];
  return {
    page: {
      title: messages.title,
      section: 'apps',
      scripts: ['redirect-uris'],
      back: { href: context.shopPath('/apps'), label: messages.apps },
    },
    action: context.shopPath('/apps/new'),
    intro: html`<p>${messages.intro}</p>`,
    fields: appFields(context, null),
    submit: messages.submit,
  };
}
