import { html } from 'hono/html';
import { setAppEnabled } from '../../apps/app.ts';
import type { Language } from '../../pages/language.ts';
import { goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import type { SectionRoutes } from '../section.ts';
import { findAppOfVisit } from './app-of-shop.ts';

interface Words {
  readonly title: (name: string) => string;
  readonly means: string;
  readonly points: readonly string[];
  readonly button: string;
  readonly keep: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (name) => `Disable ${name}?`,
    means: 'While the app is disabled:',
    points: [
      'It can read nothing: every call is refused at once, and the app is told that it is disabled.',
      'It gets no notices. What changes meanwhile is not lost: when you enable it, it reads on where it was.',
      'Its connection, approvals, secrets and webhook are kept. Nobody has to approve it again.',
      'No member can approve it anew.',
    ],
    button: 'Disable the app',
    keep: 'Leave it enabled',
  },
  ja: {
    title: (name) => `${name} を無効にしますか？`,
    means: '無効にしている間は次のようになります。',
    points: [
      'アプリは何も読み取れません。すべての呼び出しがすぐに拒否され、無効であることがアプリに伝わります。',
      '通知は届きません。その間の変更は失われず、有効にすると続きから読み取れます。',
      '接続・承認・シークレット・Webhook は保持されます。再承認は不要です。',
      'メンバーが新たに承認することはできません。',
    ],
    button: 'アプリを無効にする',
    keep: '有効のままにする',
  },
};

/** Mounts what switches an app off, for a while, and on again. */
export function mountSwitch(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  routes.page('/apps/:clientId/disable', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const path = visit.path(`/apps/${app.clientId}`);
    const text = WORDS[visit.language];
    return showPage({
      title: text.title(app.name),
      section: 'apps',
      back: { href: path, label: app.name },
      content: html`<section class="sheet">
        <p>${text.means}</p>
        <ul>
          ${text.points.map((point) => html`<li>${point}</li>`)}
        </ul>
        <div class="actions">
          ${actionButton(visit, { action: `${path}/disable`, label: text.button, kind: 'danger' })}
          ${linkButton({ href: path, label: text.keep })}
        </div>
      </section>`,
    });
  });
  for (const word of ['disable', 'enable'] as const) {
    routes.action(`/apps/:clientId/${word}`, 'integrations.manage', async (visit) => {
      const app = await findAppOfVisit(db, visit);
      if (app === undefined) return NOT_FOUND;
      const { shop, now, actor } = visit;
      const { clientId } = app;
      const isEnabled = word === 'enable';
      const changed = await write(
        shop.id,
        async (tx) => await setAppEnabled(tx, clientId, isEnabled, now, actor),
      );
      if (changed === undefined) return NOT_FOUND;
      return goTo(visit.path(`/apps/${clientId}`), isEnabled ? 'app_enabled' : 'app_disabled');
    });
  }
}
