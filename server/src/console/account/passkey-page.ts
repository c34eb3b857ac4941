import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import type { Language } from '../../pages/language.ts';
import { listPasskeys, type Passkey, removePasskey, renamePasskey } from '../../shops/passkey.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { faultOf, faultSummary } from '../parts/notes.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';

interface Words {
  readonly back: string;
  readonly name: string;
  readonly save: string;
  readonly notSaved: string;
  readonly badName: string;
  readonly removeTitle: string;
  readonly removeText: string;
  readonly remove: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    back: 'Passkeys',
    name: 'Name',
    save: 'Save the name',
    notSaved: 'The name was not changed',
    badName: 'Enter a name of 1 to 100 characters, without spaces at its ends.',
    removeTitle: 'Remove this passkey',
    removeText:
      'Nobody signs in with it any more, and browsers that signed in with it are signed out. Your device may still offer it: delete it there as well. You can sign in with your password as before.',
    remove: 'Remove',
  },
  ja: {
    back: 'パスキー',
    name: '名前',
    save: '名前を保存',
    notSaved: '名前は変更されませんでした',
    badName: '名前は 1〜100 文字で、前後の空白なしで入力してください。',
    removeTitle: 'このパスキーを削除',
    removeText:
      '削除すると、このパスキーではログインできなくなり、このパスキーでログインしたブラウザはログアウトします。端末には候補として残ることがあるため、端末側でも削除してください。パスワードでのログインはこれまでどおりです。',
    remove: '削除する',
  },
};

/** Mounts the page of one passkey: another name, and its removal. */
export function mountPasskeyPage(routes: AccountRoutes, { db }: ConsoleDeps): void {
  routes.page('/account/passkeys/:id', async (visitor) => {
    const found = await findOwn(db, visitor);
    return found === undefined ? NOT_FOUND : showPasskey(visitor, found, null);
  });

  routes.action('/account/passkeys/:id/name', async (visitor) => {
    const found = await findOwn(db, visitor);
    if (found === undefined) return NOT_FOUND;
    const { account, now, actor, form } = visitor;
    const name = (form.get('name') ?? '').trim();
    const result = await db.transaction(
      async (tx) => await renamePasskey(tx, account.id, found.id, name, now, actor),
    );
    if (result.kind === 'not_found') return NOT_FOUND;
    if (result.kind === 'invalid_name') return showPasskey(visitor, found, name);
    return goTo('/console/account/passkeys', 'saved');
  });

  routes.action('/account/passkeys/:id/remove', async ({ account, now, actor, params }) => {
    const { id } = params;
    if (!isUuid(id)) return NOT_FOUND;
    const isRemoved = await db.transaction(
      async (tx) => await removePasskey(tx, account.id, id, now, actor),
    );
    return isRemoved ? goTo('/console/account/passkeys', 'passkey_removed') : NOT_FOUND;
  });
}

/** The passkey that a path names, when it is the visitor's own. */
async function findOwn(
  db: ConsoleDeps['db'],
  { account, params }: Visitor,
): Promise<Passkey | undefined> {
  const passkeys = await listPasskeys(db, account.id);
  return passkeys.find(({ id }) => id === params['id']);
}

/** `refused`: the name that was typed and not taken. */
function showPasskey(visitor: Visitor, passkey: Passkey, refused: string | null): ConsoleAnswer {
  const text = WORDS[visitor.language];
  const path = `/console/account/passkeys/${passkey.id}`;
  const faults = refused === null ? [] : [{ field: 'name', text: text.badName }];
  return showPage({
    title: passkey.name,
    section: null,
    back: { href: '/console/account/passkeys', label: text.back },
    status: refused === null ? 200 : 422,
    content: html`${faultSummary(text.notSaved, faults)}
      <section class="sheet">
        <form class="stack" method="post" action="${path}/name">
          ${visitor.formToken}
          ${textField({
            name: 'name',
            label: text.name,
            value: refused ?? passkey.name,
            maxLength: 100,
            isRequired: true,
            fault: faultOf(faults, 'name'),
          })}
          <div class="actions">${submitButton(text.save)}</div>
        </form>
      </section>
      <section class="sheet">
        <h2>${text.removeTitle}</h2>
        <p>${text.removeText}</p>
        ${actionButton(visitor, { action: `${path}/remove`, label: text.remove, kind: 'danger' })}
      </section>`,
  });
}
