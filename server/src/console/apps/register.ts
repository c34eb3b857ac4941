import { html } from 'hono/html';
import { findApp, type NewApp, registerApp } from '../../apps/app.ts';
import { findWebhookLostBy } from '../../webhooks/redirect-uris.ts';
import { fragment, goTo } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { answerForm, type Form, showForm } from '../parts/form/form.ts';
import { note } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { appFields } from './app-fields.ts';
import { lostWebhookText } from './edit.ts';
import { checkedLines, faultsOfLines, linesOf } from './redirect-uri-words.ts';
import { carryOnce } from './shown-once.ts';
import { registerAppMessages } from './messages/app.ts';

/** Mounts the registration of an app, and the check of redirect URIs during typing. */
export function mountRegister(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db, publicUrl, write } = deps;
  const isSecure = publicUrl.startsWith('https:');
  // Preselect only `offline_access`; the member chooses the other scopes.
  routes.page('/apps/new', 'integrations.manage', async (visit) =>
    showForm(visit, formOf(visit), { scopes: ['offline_access'] }),
  );
  routes.action('/apps/new', 'integrations.manage', async (visit) =>
    answerForm(visit, formOf(visit), async ({ values }) => {
      const { shop, now, actor } = visit;
      const result = await write(
        shop.id,
        async (tx) => await registerApp(tx, shop.id, values, now, actor),
      );
      if (result.kind === 'invalid') {
        return { kind: 'refused', faults: [{ field: null, text: result.reason }] };
      }
      const path = visit.path(`/apps/${result.app.clientId}/secret`);
      return goTo(path, null, [carryOnce(visit, path, result.secret, isSecure)]);
    }),
  );
  // POST because the addresses may exceed the length of a URL. Writes nothing.
  routes.action('/apps/redirect-uris', 'integrations.manage', async (visit) => {
    const { form, language, shop } = visit;
    const lines = linesOf(form.get('redirectUris') ?? '');
    const checked = checkedLines(lines, language);
    if (faultsOfLines(lines, language).length > 0) return fragment(checked);
    const app = await findApp(db, form.get('client_id') ?? '');
    if (app?.shopId !== shop.id) return fragment(checked);
    const lost = await findWebhookLostBy(db, shop.id, app.clientId, lines);
    if (lost === null) return fragment(checked);
    return fragment(html`${checked} ${note('warn', lostWebhookText(lost, language))}`);
  });
}

function formOf(visit: Visit): Form<NewApp> {
  const messages = registerAppMessages[visit.language];
  return {
    page: {
      title: messages.title,
      section: 'apps',
      scripts: ['redirect-uris'],
      back: { href: visit.path('/apps'), label: messages.apps },
    },
    action: visit.path('/apps/new'),
    intro: html`<p>${messages.intro}</p>`,
    fields: appFields(visit, null),
    submit: messages.submit,
  };
}
