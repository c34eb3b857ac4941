import { html } from 'hono/html';
import { findApp, registerApp } from '../../apps/app.ts';
import { findWebhookLostBy } from '../../webhooks/redirect-uris.ts';
import { type ConsoleAnswer, fragment, goTo, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type FormFault, note } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import {
  type AppFormValues,
  judgeAppForm,
  NEW_APP_VALUES,
  readAppForm,
  renderAppForm,
} from './app-form.ts';
import { lostWebhookText } from './edit.ts';
import { checkedLines, faultsOfLines, linesOf } from './redirect-uri-words.ts';
import { carryOnce } from './shown-once.ts';
import { registerAppMessages } from './messages/app.ts';

/** Mounts the registration of an app, and the check of redirect URIs as they are typed. */
export function mountRegister(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db, publicUrl, write } = deps;
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/apps/new', 'integrations.manage', async (visit) =>
    showForm(visit, NEW_APP_VALUES, []),
  );
  routes.action('/apps/new', 'integrations.manage', async (visit) => {
    const values = readAppForm(visit);
    const { app, faults } = judgeAppForm(values, visit.language);
    if (faults.length > 0) return showForm(visit, values, faults);
    const { shop, now, actor } = visit;
    const result = await write(
      shop.id,
      async (tx) => await registerApp(tx, shop.id, app, now, actor),
    );
    if (result.kind === 'invalid') {
      return showForm(visit, values, [{ field: null, text: result.reason }]);
    }
    const path = visit.path(`/apps/${result.app.clientId}/secret`);
    return goTo(path, null, [carryOnce(visit, path, result.secret, isSecure)]);
  });
  // A form that is posted, because addresses may be longer than an address may be. Writes nothing.
  routes.action('/apps/redirect-uris', 'integrations.manage', async (visit) => {
    const { form, language, shop } = visit;
    const lines = linesOf(form.get('redirect_uris') ?? '');
    const checked = checkedLines(lines, language);
    if (faultsOfLines(lines, language).length > 0) return fragment(checked);
    const app = await findApp(db, form.get('client_id') ?? '');
    if (app?.shopId !== shop.id) return fragment(checked);
    const lost = await findWebhookLostBy(db, shop.id, app.clientId, lines);
    if (lost === null) return fragment(checked);
    return fragment(html`${checked} ${note('warn', lostWebhookText(lost, language))}`);
  });
}

function showForm(
  visit: Visit,
  values: AppFormValues,
  faults: readonly FormFault[],
): ConsoleAnswer {
  const messages = registerAppMessages[visit.language];
  return showPage({
    title: messages.title,
    section: 'apps',
    status: faults.length === 0 ? 200 : 422,
    scripts: ['redirect-uris'],
    back: { href: visit.path('/apps'), label: messages.apps },
    content: html`<p>${messages.intro}</p>
      ${renderAppForm(visit, {
        action: visit.path('/apps/new'),
        values,
        faults,
        submit: messages.submit,
        clientId: null,
      })}`,
  });
}
