import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import {
  addAppSecret,
  type AppSecret,
  listAppSecrets,
  removeAppSecret,
} from '../../apps/app-secret.ts';
import { isUuid } from '../../base/field.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { note } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findAppOfVisit } from './app-of-shop.ts';
import { carryOnce } from './shown-once.ts';

interface Words {
  readonly title: string;
  readonly titleOf: (name: string) => string;
  readonly intro: string;
  readonly steps: string;
  readonly step: readonly string[];
  readonly secret: string;
  readonly newer: string;
  readonly older: string;
  readonly only: string;
  readonly created: string;
  readonly action: string;
  readonly remove: string;
  readonly add: string;
  readonly full: string;
  readonly last: string;
  readonly confirm: string;
  readonly confirmText: (created: Markup) => Markup;
  readonly leak: string;
  readonly confirmButton: string;
  readonly keep: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Secrets',
    titleOf: (name) => `Secrets of ${name}`,
    intro:
      'With its secret the app proves that it is itself. Two may be in use at the same time, so that the app can change over without a break.',
    steps: 'How to change the secret',
    step: [
      'Create a second secret here. It is shown once; the first one goes on working.',
      'The developer puts the new secret on the app’s server and starts the app again.',
      'See that the app still reads: its connection says when it last did. It uses the secret at least every 15 minutes.',
      'Remove the old secret here. From then on it opens nothing.',
    ],
    secret: 'Secret',
    newer: 'The newer one',
    older: 'The older one',
    only: 'The one in use',
    created: 'Created',
    action: 'Actions',
    remove: 'Remove',
    add: 'Create a second secret',
    full: 'There are two secrets. Remove one before you make another.',
    last: 'This is the only secret: without any, the app could not go on. Create a second one first.',
    confirm: 'Remove this secret?',
    confirmText: (created) =>
      html`The secret that was made ${created} works no more, at once. If the app still uses it, the
      app cannot renew its access any more and stops within 15 minutes.`,
    leak: 'Access that was given with it already goes on. If the secret has leaked and somebody may have used it, end the connection too.',
    confirmButton: 'Remove the secret',
    keep: 'Keep it',
  },
  ja: {
    title: 'シークレット',
    titleOf: (name) => `${name} のシークレット`,
    intro:
      'アプリはシークレットで本人であることを証明します。同時に 2 つまで使えるので、止めずに切り替えられます。',
    steps: 'シークレットの変更手順',
    step: [
      'ここで 2 つ目のシークレットを作成します。表示は 1 回限りで、1 つ目もそのまま使えます。',
      '開発者がアプリのサーバーに新しいシークレットを設定し、アプリを再起動します。',
      'アプリが読み取りを続けていることを接続のページで確認します。アプリは少なくとも 15 分ごとにシークレットを使います。',
      'ここで古いシークレットを削除します。その時点から使えなくなります。',
    ],
    secret: 'シークレット',
    newer: '新しい方',
    older: '古い方',
    only: '使用中',
    created: '作成日時',
    action: '操作',
    remove: '削除',
    add: '2 つ目のシークレットを作成',
    full: 'シークレットが 2 つあります。新しく作成するには、どちらかを削除してください。',
    last: 'シークレットはこれだけです。なくなるとアプリは動作を続けられません。先に 2 つ目を作成してください。',
    confirm: 'このシークレットを削除しますか？',
    confirmText: (created) =>
      html`${created}
      に作成したシークレットは、すぐに使えなくなります。アプリがまだ使っている場合、アクセスを更新できなくなり、15
      分以内に止まります。`,
    leak: 'すでに与えられたアクセスは続きます。漏れたシークレットが使われたおそれがある場合は、接続も終了してください。',
    confirmButton: 'シークレットを削除する',
    keep: '削除しない',
  },
};

/** Mounts the secrets of an app: the change-over from one to the next. */
export function mountSecrets(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db, publicUrl, write } = deps;
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/apps/:clientId/secrets', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const secrets = await listAppSecrets(db, visit.shop.id, app.clientId);
    return showSecrets(visit, app, secrets, null);
  });
  routes.action('/apps/:clientId/secrets', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const { shop, now, actor, language } = visit;
    const added = await write(
      shop.id,
      async (tx) => await addAppSecret(tx, shop.id, app.clientId, now, actor),
    );
    switch (added.kind) {
      case 'unknown':
        return NOT_FOUND;
      case 'too_many': {
        const secrets = await listAppSecrets(db, shop.id, app.clientId);
        return showSecrets(visit, app, secrets, WORDS[language].full);
      }
      case 'added': {
        const path = visit.path(`/apps/${app.clientId}/secret`);
        return goTo(path, null, [carryOnce(visit, path, added.secret, isSecure)]);
      }
    }
  });
  mountRemoval(routes, deps);
}

function mountRemoval(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  const path = '/apps/:clientId/secrets/:secretId/remove';
  routes.page(path, 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const secrets = await listAppSecrets(db, visit.shop.id, app.clientId);
    const secret = secrets.find(({ id }) => id === visit.params['secretId']);
    return secret === undefined ? NOT_FOUND : showRemoval(visit, app, secret);
  });
  routes.action(path, 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    const { secretId = '' } = visit.params;
    if (app === undefined || !isUuid(secretId)) return NOT_FOUND;
    const { shop, now, actor, language } = visit;
    const result = await write(
      shop.id,
      async (tx) => await removeAppSecret(tx, shop.id, app.clientId, secretId, now, actor),
    );
    switch (result) {
      case 'unknown':
        return NOT_FOUND;
      case 'last': {
        const secrets = await listAppSecrets(db, shop.id, app.clientId);
        return showSecrets(visit, app, secrets, WORDS[language].last);
      }
      case 'removed':
        return goTo(visit.path(`/apps/${app.clientId}/secrets`), 'secret_removed');
    }
  });
}

function showSecrets(
  visit: Visit,
  app: App,
  secrets: readonly AppSecret[],
  fault: string | null,
): ConsoleAnswer {
  const { language, format } = visit;
  const text = WORDS[language];
  const appPath = visit.path(`/apps/${app.clientId}`);
  const isFull = secrets.length > 1;
  return showPage({
    title: text.titleOf(app.name),
    section: 'apps',
    status: fault === null ? 200 : 422,
    back: { href: appPath, label: app.name },
    content: html`${fault === null ? '' : html`<div role="alert">${note('bad', fault)}</div>`}
      <p>${text.intro}</p>
      <section class="sheet">
        ${table({
          caption: text.title,
          columns: [
            { label: text.secret },
            { label: text.created },
            { label: text.action, isLabelUnseen: true },
          ],
          rows: secrets.map(({ id, createdAt }, index) => {
            const name = !isFull ? text.only : index === 0 ? text.newer : text.older;
            const href = `${appPath}/secrets/${id}/remove`;
            return [
              name,
              format.dateTime(createdAt),
              isFull ? linkButton({ href, label: text.remove, kind: 'danger', about: name }) : '',
            ];
          }),
        })}
        ${isFull ? html`<p class="soft small">${text.full}</p>` : actionButton(visit, { action: `${appPath}/secrets`, label: text.add, kind: 'first' })}
      </section>
      <section class="sheet">
        <h2>${text.steps}</h2>
        <ol>
          ${text.step.map((step) => html`<li>${step}</li>`)}
        </ol>
      </section>`,
  });
}

function showRemoval(visit: Visit, app: App, { id, createdAt }: AppSecret): ConsoleAnswer {
  const text = WORDS[visit.language];
  const back = visit.path(`/apps/${app.clientId}/secrets`);
  return showPage({
    title: text.confirm,
    section: 'apps',
    back: { href: back, label: text.titleOf(app.name) },
    content: html`<section class="sheet">
      <p>${text.confirmText(visit.format.dateTime(createdAt))}</p>
      <p>${text.leak}</p>
      <div class="actions">
        ${actionButton(visit, { action: `${back}/${id}/remove`, label: text.confirmButton, kind: 'danger' })}
        ${linkButton({ href: back, label: text.keep })}
      </div>
    </section>`,
  });
}
