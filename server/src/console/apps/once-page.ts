import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import type { Language } from '../../pages/language.ts';
import { type ConsoleAnswer, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { note } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findAppOfVisit } from './app-of-shop.ts';
import { copyableValue, developerBlock } from './developer-lines.ts';
import { forgetOnce, readOnce } from './shown-once.ts';

interface Words {
  readonly title: (name: string) => string;
  readonly once: string;
  readonly clientId: string;
  readonly secret: string;
  readonly lines: string;
  readonly linesText: string;
  readonly next: string;
  readonly steps: readonly string[];
  readonly done: string;
  readonly gone: string;
  readonly goneText: string;
  readonly another: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (name) => `The secret of ${name}`,
    once: 'The secret is shown on this page only, and only now: we keep no copy that anybody could read. Copy it before you leave the page.',
    clientId: 'Client id',
    secret: 'Client secret',
    lines: 'For the developer',
    linesText: 'The lines of an environment file with all that an app needs:',
    next: 'What comes next',
    steps: [
      'Hand the lines to the developer by a safe way: a password manager, not a chat.',
      'The developer puts them on the app’s server, never into a page or a program for phones.',
      'In the app, press what connects it to your shop, and approve it here.',
    ],
    done: 'I have copied it',
    gone: 'The secret was shown before',
    goneText:
      'It is shown once and cannot be shown again. If nobody has copied it, make a second secret for this app: the page of its secrets says how.',
    another: 'Secrets of this app',
  },
  ja: {
    title: (name) => `${name} のシークレット`,
    once: 'シークレットが表示されるのはこの画面だけ、今回限りです。読み出せる形では保存していません。この画面を離れる前にコピーしてください。',
    clientId: 'クライアント ID',
    secret: 'クライアントシークレット',
    lines: '開発者向け',
    linesText: 'アプリに必要なものをまとめた環境変数ファイルの内容です。',
    next: 'このあとの手順',
    steps: [
      'この内容を安全な方法（チャットではなくパスワード管理ツールなど）で開発者に渡してください。',
      '開発者は、アプリのサーバーに設定します。Web ページやスマートフォンのアプリには入れません。',
      'アプリの「ショップと接続」を押し、こちらで承認してください。',
    ],
    done: 'コピーしました',
    gone: 'シークレットは表示済みです',
    goneText:
      '表示は 1 回限りで、再表示はできません。控えていない場合は、2 つ目のシークレットを作成してください。手順はシークレットのページにあります。',
    another: 'このアプリのシークレット',
  },
};

/** Mounts the page that shows an app's secret once. */
export function mountOncePage(routes: SectionRoutes, { db, publicUrl }: ConsoleDeps): void {
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/apps/:clientId/secret', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const path = visit.path(`/apps/${app.clientId}/secret`);
    const secret = await readOnce(db, visit, path);
    if (secret === null) return showGone(visit, app);
    return showSecret(visit, { app, secret, publicUrl, cookie: forgetOnce(path, isSecure) });
  });
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
  const text = WORDS[language];
  return showPage({
    title: text.title(app.name),
    section: 'apps',
    cookies: [cookie],
    content: html`${note('warn', text.once)}
      <section class="sheet">
        <dl class="facts once">
          <div>
            <dt>${text.clientId}</dt>
            <dd>${copyableValue(clientId, language, text.clientId)}</dd>
          </div>
          <div>
            <dt>${text.secret}</dt>
            <dd>${copyableValue(secret, language, text.secret)}</dd>
          </div>
        </dl>
      </section>
      <section class="sheet">
        <h2>${text.lines}</h2>
        <p>${text.linesText}</p>
        ${developerBlock({ publicUrl, clientId, clientSecret: secret, scopes }, language)}
      </section>
      <section class="sheet">
        <h2>${text.next}</h2>
        <ol>
          ${text.steps.map((step) => html`<li>${step}</li>`)}
        </ol>
        ${linkButton({ href: visit.path(`/apps/${clientId}`), label: text.done, kind: 'first' })}
      </section>`,
  });
}

function showGone(visit: Visit, app: App): ConsoleAnswer {
  const text = WORDS[visit.language];
  const appPath = visit.path(`/apps/${app.clientId}`);
  return showPage({
    title: text.gone,
    section: 'apps',
    back: { href: appPath, label: app.name },
    content: html`<p>${text.goneText}</p>
      ${linkButton({ href: `${appPath}/secrets`, label: text.another })}`,
  });
}
