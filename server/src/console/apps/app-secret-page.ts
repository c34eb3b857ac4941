import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { descriptionList, callout } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { copyableValue } from '../parts/copyable.ts';
import { environmentBlock } from './environment-file.ts';
import { clearOneTimeSecret, readOneTimeSecret } from '../one-time-secret.ts';
import { shownOnceMessages } from './messages/key.ts';

export async function showAppSecret(
  { db, publicUrl }: ConsoleDeps,
  context: RequestContext,
  app: App,
): Promise<ConsoleResponse> {
  const path = context.shopPath(`/apps/${app.clientId}/secret`);
  const secret = await readOneTimeSecret(db, context, path);
  if (secret === null) return showGone(context, app);
  const cookie = clearOneTimeSecret(path, publicUrl.startsWith('https:'));
  return showSecret(context, { app, secret, publicUrl, cookie });
}

function showSecret(
  context: RequestContext,
  options: {
    readonly app: App;
    readonly secret: string;
    readonly publicUrl: string;
    readonly cookie: string;
  },
): ConsoleResponse {
  const { app, secret, publicUrl, cookie } = options;
  const { language } = context;
  const { clientId, scopes } = app;
  const messages = shownOnceMessages[language];
  return showPage({
    title: messages.title(app.name),
    section: 'apps',
    cookies: [cookie],
    content: html`${callout('warn', messages.once)}
      <section class="sheet once">
        ${descriptionList([
          [messages.clientId, copyableValue(clientId, language, messages.clientId)],
          [messages.secret, copyableValue(secret, language, messages.secret)],
        ])}
      </section>
      <section class="sheet">
        <h2>${messages.lines}</h2>
        <p>${messages.linesText}</p>
        ${environmentBlock({ publicUrl, clientId, clientSecret: secret, scopes }, language)}
      </section>
      <section class="sheet">
        <h2>${messages.next}</h2>
        <ol>
          ${messages.steps.map((step) => html`<li>${step}</li>`)}
        </ol>
        ${linkButton({ href: context.shopPath(`/apps/${clientId}`), label: messages.done, kind: 'first' })}
      </section>`,
  });
}

function showGone(context: RequestContext, app: App): ConsoleResponse {
  const messages = shownOnceMessages[context.language];
  const appPath = context.shopPath(`/apps/${app.clientId}`);
  return showPage({
    title: messages.gone,
    section: 'apps',
    back: { href: appPath, label: app.name },
    content: html`<p>${messages.goneText}</p>
      ${linkButton({ href: `${appPath}/secrets`, label: messages.another })}`,
  });
}
