import { Readable } from 'node:stream';
import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { listPasskeys, type Passkey, removePasskeys } from '../../shops/passkey.ts';
import {
  beginPasskeyRegistration,
  finishPasskeyRegistration,
  type FinishPasskeyRegistrationResult,
} from '../../signin/passkey-registration.ts';
import type { RelyingParty } from '../../signin/relying-party.ts';
import { type ConsoleAnswer, file, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { emptyState, faultOf, faultSummary, type FormFault, note } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';
import { mountPasskeyPage } from './passkey-page.ts';
import { confirmFault } from './password.ts';
import { accountTabs, tabName } from './tabs.ts';

type Refused = Exclude<FinishPasskeyRegistrationResult, { readonly kind: 'added' }>;

type Worded = Exclude<Refused['kind'], 'ip_address' | 'not_confirmed'>;

interface Words extends Readonly<Record<Worded, string>> {
  readonly intro: string;
  readonly caption: string;
  readonly name: string;
  readonly kind: string;
  readonly synced: string;
  readonly device: string;
  readonly created: string;
  readonly lastUsed: string;
  readonly never: string;
  readonly none: string;
  readonly noneText: string;
  readonly add: string;
  readonly nameHint: string;
  readonly suggestion: string;
  readonly addButton: string;
  readonly needed: string;
  readonly nothingCame: string;
  readonly notAdded: string;
  readonly ipAddress: (host: string) => string;
  readonly instead: string;
  readonly password: string;
  readonly passwordHint: string;
  readonly removeAll: string;
  readonly removeAllText: string;
  readonly removeAllButton: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    intro:
      'With a passkey you sign in by fingerprint, face or the PIN of your device, without typing a password. Nobody can steal it by a false page. Your password stays as a second way.',
    caption: 'My passkeys',
    name: 'Name',
    kind: 'Where it is',
    synced: 'On your devices',
    device: 'In one device',
    created: 'Added',
    lastUsed: 'Last used',
    never: 'Never',
    none: 'No passkey yet',
    noneText: 'Add one in the browser in which you work every day.',
    add: 'Add a passkey',
    nameHint: 'So that you know it again: the device or the key that keeps it.',
    suggestion: 'My device',
    addButton: 'Add a passkey',
    needed:
      'Your browser makes the passkey. Where no button stands below, it knows no passkeys, or may not run scripts.',
    nothingCame: 'No passkey came from the browser. You can try again.',
    notAdded: 'The passkey was not added',
    ipAddress: (host) =>
      `Passkeys belong to a host name, and this service is opened under the address ${host}. The operator can set one as PUBLIC_URL.`,
    instead: 'On this machine, this address would do:',
    password: 'Current password',
    passwordHint: 'So that nobody else adds a passkey in a browser that you left open.',
    removeAll: 'Remove all passkeys',
    removeAllText:
      'A changed password does not stop a passkey. If somebody else may have used your account, or you do not know one of the passkeys above, remove them all: browsers that signed in with them are signed out. You can sign in with your password and add yours again.',
    removeAllButton: 'Remove all passkeys',
    too_many: 'You have 20 passkeys already. Remove one that you no longer use.',
    known: 'This passkey is registered already.',
    invalid_name: 'Enter a name of 1 to 100 characters, without spaces at its ends.',
    refused: 'The browser’s answer did not hold, or came too late. Try again.',
  },
  ja: {
    intro:
      'パスキーを使うと、指紋・顔認証や端末の暗証番号でログインでき、パスワードの入力が不要になります。偽の画面に盗まれることもありません。パスワードは引き続き使えます。',
    caption: '登録済みのパスキー',
    name: '名前',
    kind: '保存場所',
    synced: '複数の端末で同期',
    device: '1 台の端末のみ',
    created: '追加日',
    lastUsed: '最終使用',
    never: '未使用',
    none: 'パスキーはまだありません',
    noneText: '普段お使いのブラウザで追加してください。',
    add: 'パスキーを追加',
    nameHint: '端末やセキュリティキーの名前など、見分けやすい名前を付けてください。',
    suggestion: '私の端末',
    addButton: 'パスキーを追加',
    needed:
      'パスキーはブラウザが作成します。下にボタンが表示されない場合は、ブラウザがパスキーに対応していないか、スクリプトが無効になっています。',
    nothingCame: 'ブラウザからパスキーを受け取れませんでした。もう一度お試しください。',
    notAdded: 'パスキーは追加されませんでした',
    ipAddress: (host) =>
      `パスキーはホスト名に結び付きます。このサービスは IP アドレス ${host} で開かれているため、使用できません。運営者は PUBLIC_URL にホスト名を設定できます。`,
    instead: 'この端末では、次のアドレスであれば使用できます。',
    password: '現在のパスワード',
    passwordHint: '開いたままのブラウザから、ほかの人がパスキーを追加できないようにするためです。',
    removeAll: 'すべてのパスキーを削除',
    removeAllText:
      'パスワードを変更しても、パスキーは使えるままです。ほかの人がアカウントを使った可能性がある場合や、心当たりのないパスキーがある場合は、すべて削除してください。そのパスキーでログインしたブラウザはログアウトします。パスワードでのログインはこれまでどおりで、パスキーはあらためて追加できます。',
    removeAllButton: 'すべて削除する',
    too_many: 'すでに 20 件のパスキーがあります。使っていないものを削除してください。',
    known: 'このパスキーはすでに登録されています。',
    invalid_name: '名前は 1〜100 文字で、前後の空白なしで入力してください。',
    refused: 'ブラウザの応答を確認できなかったか、時間切れです。もう一度お試しください。',
  },
};

/** Mounts a person's passkeys: the list, adding one, and the page of each. */
export function mountPasskeys(routes: AccountRoutes, deps: ConsoleDeps): void {
  const { signIn, log } = deps;
  routes.page('/account/passkeys', async (visitor) => await showPasskeys(deps, visitor, null));

  routes.action('/account/passkeys', async (visitor) => {
    const { account, form, request } = visitor;
    const result = await finishPasskeyRegistration(signIn, account, {
      credential: form.get('credential') ?? '',
      name: (form.get('name') ?? '').trim(),
      password: form.get('password') ?? '',
      address: request.ip,
      userAgent: request.headers['user-agent'],
      // Who sends the form and goes has added the passkey all the same.
      signal: new AbortController().signal,
    });
    if (result.kind === 'added') return goTo('/console/account/passkeys', 'passkey_added');
    if (result.kind === 'refused') {
      log.info({ requestId: request.id, error: result.cause }, 'a passkey was not taken');
    }
    return await showPasskeys(deps, visitor, result);
  });

  routes.action('/account/passkeys/remove-all', async ({ account, now, actor }) => {
    const removed = await deps.db.transaction(
      async (tx) => await removePasskeys(tx, account.id, now, actor),
    );
    return goTo('/console/account/passkeys', removed === 0 ? 'unchanged' : 'passkeys_removed');
  });

  // Asked by our script when the button is pressed: a page that is only looked at spends no challenge.
  routes.action('/account/passkeys/options', async ({ account }) => {
    const begun = await beginPasskeyRegistration(signIn, account);
    if (begun.kind !== 'begun') return NOT_FOUND;
    const json = JSON.stringify(begun.options);
    return file('options.json', 'application/json; charset=utf-8', Readable.from([json]));
  });

  mountPasskeyPage(routes, deps);
}

async function showPasskeys(
  { db, signIn }: ConsoleDeps,
  visitor: Visitor,
  refused: Refused | null,
): Promise<ConsoleAnswer> {
  const { language, account } = visitor;
  const text = WORDS[language];
  const passkeys = await listPasskeys(db, account.id);
  const { relyingParty } = signIn;
  const faults =
    refused === null || refused.kind === 'ip_address' ? [] : [faultFor(refused, language)];
  const content = html`${accountTabs(language, 'passkeys')} ${faultSummary(text.notAdded, faults)}
    <section class="sheet">
      <p>${text.intro}</p>
      ${
        passkeys.length === 0
          ? emptyState(text.none, text.noneText)
          : renderPasskeys(visitor, passkeys)
      }
    </section>
    <section class="sheet">
      <h2>${text.add}</h2>
      ${renderAdding(visitor, relyingParty, faults)}
    </section>
    ${passkeys.length === 0 ? '' : renderRemoval(visitor)}`;
  return showPage({
    title: tabName(language, 'passkeys'),
    section: null,
    status: refused === null ? 200 : 422,
    ...(relyingParty.kind === 'host' ? { scripts: ['passkey'] as const } : {}),
    content,
  });
}

function renderRemoval(visitor: Visitor): Markup {
  const text = WORDS[visitor.language];
  return html`<section class="sheet">
    <h2>${text.removeAll}</h2>
    <p>${text.removeAllText}</p>
    ${actionButton(visitor, {
      action: '/console/account/passkeys/remove-all',
      label: text.removeAllButton,
      kind: 'danger',
    })}
  </section>`;
}

function renderPasskeys({ language, format }: Visitor, passkeys: readonly Passkey[]): Markup {
  const text = WORDS[language];
  return table({
    caption: text.caption,
    isCaptionUnseen: true,
    columns: [
      { label: text.name },
      { label: text.kind },
      { label: text.created },
      { label: text.lastUsed },
    ],
    rows: passkeys.map(({ id, name, isSynced, createdAt, lastUsedAt }) => [
      html`<a href="/console/account/passkeys/${id}">${name}</a>`,
      badge(isSynced ? text.synced : text.device),
      format.date(createdAt),
      lastUsedAt === null ? html`<span class="soft">${text.never}</span>` : format.ago(lastUsedAt),
    ]),
  });
}

function renderAdding(
  { account, language, form, formToken }: Visitor,
  relyingParty: RelyingParty,
  faults: readonly FormFault[],
): Markup {
  const text = WORDS[language];
  if (relyingParty.kind === 'ip_address') {
    const { host, instead } = relyingParty;
    return note(
      'warn',
      html`<p>${text.ipAddress(host)}</p>
        ${instead === null ? '' : html`<p>${text.instead} <code>${instead}</code></p>`}`,
    );
  }
  return html`<p>${text.needed}</p>
    <form
      class="stack"
      method="post"
      action="/console/account/passkeys"
      data-passkey="create"
      data-options="/console/account/passkeys/options"
      hidden
    >
      ${formToken}
      ${textField({
        name: 'name',
        label: text.name,
        hint: text.nameHint,
        value: form.get('name') ?? text.suggestion,
        maxLength: 100,
        isRequired: true,
        autocomplete: 'off',
        fault: faultOf(faults, 'name'),
      })}
      <input
        type="text"
        name="username"
        value="${account.email}"
        autocomplete="username"
        hidden
        readonly
      />
      ${textField({
        name: 'password',
        label: text.password,
        hint: text.passwordHint,
        type: 'password',
        autocomplete: 'current-password',
        maxLength: 1024,
        isRequired: true,
        fault: faultOf(faults, 'password'),
      })}
      <input type="hidden" name="credential" value="" />
      <p class="fault" role="alert" hidden data-passkey-fault>${text.nothingCame}</p>
      <div class="actions">${submitButton(text.addButton)}</div>
    </form>`;
}

function faultFor(
  refused: Exclude<Refused, { kind: 'ip_address' }>,
  language: Language,
): FormFault {
  const text = WORDS[language];
  if (refused.kind === 'not_confirmed') return confirmFault(refused.why, language, 'password');
  const field = refused.kind === 'invalid_name' ? 'name' : null;
  return { field, text: text[refused.kind] };
}
