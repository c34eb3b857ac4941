import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { facts, note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { copyableValue, developerBlock } from './developer-lines.ts';
import { forgetOnce, readOnce } from './shown-once.ts';
import { shownOnceMessages } from './messages/key.ts';

export async function showAppSecret(
  { db, publicUrl }: ConsoleDeps,
  visit: Visit,
  app: App,
): Promise<ConsoleAnswer> {
  const path = visit.path(`/apps/${app.clientId}/secret`);
  const secret = await readOnce(db, visit, path);
  if (secret === null) return showGone(visit, app);
  const cookie = forgetOnce(path, publicUrl.startsWith('https:'));
  return showSecret(visit, { app, secret, publicUrl, cookie });
}

function showSecret(
  visit: Visit,
  options: {
    readonly app: App;
    readonly secret: string;
    readonly publicUrl: string;
    readonly cookie: string;
  },
): ConsoleAnswer {
  const { app, secret, publicUrl, cookie } = options;
  const { language } = visit;
  const { clientId, scopes } = app;
  const messages = shownOnceMessages[language];
  return showPage({
    title: messages.title(app.name),
    section: 'apps',
    cookies: [cookie],
    content: html`${note('warn', messages.once)}
      <section class="sheet once">
        ${facts([
          [messages.clientId, copyableValue(clientId, language, messages.clientId)],
          [messages.secret, copyableValue(secret, language, messages.secret)],
        ])}
      </section>
      <section class="sheet">
        <h2>${messages.lines}</h2>
        <p>${messages.linesText}</p>
        ${developerBlock({ publicUrl, clientId, clientSecret: secret, scopes }, language)}
      </section>
      <section class="sheet">
        <h2>${messages.next}</h2>
        <ol>
          ${messages.steps.map((step) => html`<li>${step}</li>`)}
        </ol>
        ${linkButton({ href: visit.path(`/apps/${clientId}`), label: messages.done, kind: 'first' })}
      </section>`,
  });
}

function showGone(visit: Visit, app: App): ConsoleAnswer {
  const messages = shownOnceMessages[visit.language];
  const appPath = visit.path(`/apps/${app.clientId}`);
  return showPage({
    title: messages.gone,
    section: 'apps',
    back: { href: appPath, label: app.name },
    content: html`<p>${messages.goneText}</p>
      ${linkButton({ href: `${appPath}/secrets`, label: messages.another })}`,
  });
}
