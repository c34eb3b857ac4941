import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import type { Language } from '../../pages/language.ts';
import { removeAppAndWebhook } from '../../webhooks/end-connection.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { type FormFault, faultOf, faultSummary } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findAppOfVisit } from './app-of-shop.ts';

interface Words {
  readonly title: (name: string) => string;
  readonly means: string;
  readonly points: readonly string[];
  readonly instead: string;
  readonly disable: string;
  readonly type: string;
  readonly typeHint: (name: string) => string;
  readonly fault: (name: string) => string;
  readonly refused: string;
  readonly button: string;
  readonly keep: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (name) => `Delete ${name}?`,
    means: 'This ends at once and cannot be undone:',
    points: [
      'its connection, with its webhook: no notice goes out any more;',
      'every approval of your members, and the access that came of them: the app reads nothing any more;',
      'its client id and its secrets: they open nothing any more, for good.',
      'What the app has read before stays with its maker: ask there if it is to be deleted.',
    ],
    instead: 'If it is only for a while, disable the app instead.',
    disable: 'Disable instead',
    type: 'Type the app’s name',
    typeHint: (name) => `To be sure that it is the right one: ${name}`,
    fault: (name) => `Type the name exactly as it is: ${name}`,
    refused: 'The app was not deleted:',
    button: 'Delete the app for good',
    keep: 'Keep it',
  },
  ja: {
    title: (name) => `${name} を削除しますか？`,
    means: '次のものがすぐに終了し、元に戻せません。',
    points: [
      '接続と Webhook：通知は送られなくなります。',
      'メンバーによるすべての承認と、それに基づくアクセス：アプリは何も読み取れなくなります。',
      'クライアント ID とシークレット：二度と使えなくなります。',
      'アプリがすでに読み取った内容は提供元に残ります。削除が必要な場合は提供元にご依頼ください。',
    ],
    instead: '一時的に止めるだけなら、無効にしてください。',
    disable: '代わりに無効にする',
    type: 'アプリの名前を入力',
    typeHint: (name) => `間違いを防ぐため、次の名前を入力してください：${name}`,
    fault: (name) => `名前をそのまま入力してください：${name}`,
    refused: 'アプリは削除されませんでした。',
    button: 'アプリを完全に削除する',
    keep: '削除しない',
  },
};

/** Mounts the deletion of an app: a warning on which its name has to be typed. */
export function mountDelete(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  routes.page('/apps/:clientId/delete', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    return app === undefined ? NOT_FOUND : showWarning(visit, app, null);
  });
  routes.action('/apps/:clientId/delete', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const { shop, now, actor, form } = visit;
    const typed = form.get('name') ?? '';
    // Whatever an input method composed: the same letters are the same name.
    if (typed.trim().normalize('NFC') !== app.name.normalize('NFC')) {
      return showWarning(visit, app, typed);
    }
    const { clientId } = app;
    const isRemoved = await write(
      shop.id,
      async (tx) => await removeAppAndWebhook(tx, clientId, now, actor),
    );
    return isRemoved ? goTo(visit.path('/apps'), 'app_deleted') : NOT_FOUND;
  });
}

function showWarning(visit: Visit, app: App, typed: string | null): ConsoleAnswer {
  const text = WORDS[visit.language];
  const path = visit.path(`/apps/${app.clientId}`);
  const faults: readonly FormFault[] =
    typed === null ? [] : [{ field: 'name', text: text.fault(app.name) }];
  return showPage({
    title: text.title(app.name),
    section: 'apps',
    status: typed === null ? 200 : 422,
    back: { href: path, label: app.name },
    content: html`${faultSummary(text.refused, faults)}
      <section class="sheet">
        <p><strong>${text.means}</strong></p>
        <ul>
          ${text.points.map((point) => html`<li>${point}</li>`)}
        </ul>
        ${
          app.isEnabled
            ? html`<p>${text.instead} <a href="${path}/disable">${text.disable}</a></p>`
            : ''
        }
        <form method="post" action="${path}/delete">
          ${visit.formToken}
          ${textField({
            name: 'name',
            label: text.type,
            hint: text.typeHint(app.name),
            value: typed ?? '',
            fault: faultOf(faults, 'name'),
            isRequired: true,
            autocomplete: 'off',
          })}
          <div class="actions">
            ${submitButton(text.button, 'danger')} ${linkButton({ href: path, label: text.keep })}
          </div>
        </form>
      </section>`,
  });
}
