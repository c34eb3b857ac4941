import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import { endConnectionAndWebhook } from '../../webhooks/end-connection.ts';
import { goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import type { SectionRoutes } from '../section.ts';
import { findConnectionOfVisit } from './app-of-shop.ts';

interface Words {
  readonly title: (app: string) => string;
  readonly back: string;
  readonly ends: string;
  readonly points: readonly string[];
  readonly after: string;
  readonly afterText: string;
  readonly button: string;
  readonly keep: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (app) => `End the connection of ${app}?`,
    back: 'Connection',
    ends: 'What ends at once',
    points: [
      'The app can read nothing any more: every call is refused, and it is told that the connection was ended.',
      'Its webhook is removed: no notice goes out any more.',
      'All approvals of your members for this app end.',
    ],
    after: 'What the app must do to come back',
    afterText:
      'It has to ask a member for approval again, connect again, and register its webhook again. It need not read everything anew. The app stays registered here, with its secret. What it has read before stays with its maker.',
    button: 'End the connection',
    keep: 'Keep it',
  },
  ja: {
    title: (app) => `${app} の接続を終了しますか？`,
    back: '接続',
    ends: 'すぐに終了するもの',
    points: [
      'アプリは何も読み取れなくなります。すべての呼び出しが拒否され、接続が終了したことがアプリに伝わります。',
      'Webhook が削除され、通知は送られなくなります。',
      'メンバーによるこのアプリの承認は、すべて終了します。',
    ],
    after: '再び接続するには',
    afterText:
      'アプリがメンバーに改めて承認を求め、接続と Webhook の登録をやり直す必要があります。すべてを読み直す必要はありません。アプリの登録とシークレットは残ります。すでに読み取った内容は提供元に残ります。',
    button: '接続を終了する',
    keep: '終了しない',
  },
};

/** Mounts the end of a connection by its shop: what it means first. */
export function mountEndConnection(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  const route = '/connections/:id/end';
  routes.page(route, 'integrations.manage', async (visit) => {
    const connection = await findConnectionOfVisit(db, visit);
    if (connection === undefined) return NOT_FOUND;
    const path = visit.path(`/connections/${connection.id}`);
    if (connection.status !== 'active') return goTo(path, 'unchanged');
    const text = WORDS[visit.language];
    return showPage({
      title: text.title(connection.app.name),
      section: 'apps',
      back: { href: path, label: text.back },
      content: html`<section class="sheet">
        <h2>${text.ends}</h2>
        <ul>
          ${text.points.map((point) => html`<li>${point}</li>`)}
        </ul>
        <h2>${text.after}</h2>
        <p>${text.afterText}</p>
        <div class="actions">
          ${actionButton(visit, { action: `${path}/end`, label: text.button, kind: 'danger' })}
          ${linkButton({ href: path, label: text.keep })}
        </div>
      </section>`,
    });
  });
  routes.action(route, 'integrations.manage', async (visit) => {
    const connection = await findConnectionOfVisit(db, visit);
    if (connection === undefined) return NOT_FOUND;
    const { shop, now, actor } = visit;
    const { id } = connection;
    const result = await write(
      shop.id,
      async (tx) => await endConnectionAndWebhook(tx, shop.id, id, 'shop', now, actor),
    );
    if (result === 'not_found') return NOT_FOUND;
    const flash = result === 'ended' ? 'connection_ended' : 'unchanged';
    return goTo(visit.path(`/connections/${id}`), flash);
  });
}
