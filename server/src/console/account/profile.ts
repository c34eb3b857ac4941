import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import { languageCookie } from '../../pages/language-cookie.ts';
import { setAccountLanguage } from '../../shops/account.ts';
import { renameAccount } from '../../shops/rename-account.ts';
import { listShopsOfAccount } from '../../shops/shop-list.ts';
import { type ConsoleAnswer, goTo, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { permissionsInWords } from '../members/permission-boxes.ts';
import { submitButton } from '../parts/button.ts';
import { radioField, textField } from '../parts/field.ts';
import { facts, faultOf, faultSummary } from '../parts/notes.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';
import { accountTabs, tabName } from './tabs.ts';

interface Words {
  readonly email: string;
  readonly emailHint: string;
  readonly name: string;
  readonly nameHint: string;
  readonly save: string;
  readonly notSaved: string;
  readonly badName: string;
  readonly language: string;
  readonly languageHint: string;
  readonly browser: string;
  readonly saveLanguage: string;
  readonly shops: string;
  readonly noShops: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    email: 'E-mail',
    emailHint: 'Your account is known by it; it cannot be changed.',
    name: 'Name',
    nameHint: 'Members of your shops and the apps that you approve see it.',
    save: 'Save the name',
    notSaved: 'The name was not changed',
    badName:
      'Enter a name of 1 to 200 characters that can be seen, without line breaks or spaces at its ends.',
    language: 'Language',
    languageHint: 'Of these pages and of mails to you.',
    browser: 'Same as the browser',
    saveLanguage: 'Save the language',
    shops: 'My shops',
    noShops: 'You are not a member of any shop.',
  },
  ja: {
    email: 'メールアドレス',
    emailHint: 'アカウントを識別するアドレスのため、変更できません。',
    name: '名前',
    nameHint: '所属ショップのメンバーと、承認したアプリに表示されます。',
    save: '名前を保存',
    notSaved: '名前は変更されませんでした',
    badName: '名前は 1〜200 文字で、改行や見えない文字、前後の空白なしで入力してください。',
    language: '言語',
    languageHint: 'この画面とメールの言語です。',
    browser: 'ブラウザの設定に合わせる',
    saveLanguage: '言語を保存',
    shops: '所属ショップ',
    noShops: '所属しているショップはありません。',
  },
};

/** Mounts `/console/account`: name, language, shops. */
export function mountProfile(routes: AccountRoutes, { db, publicUrl }: ConsoleDeps): void {
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/account', async (visitor) => await showProfile(db, visitor, null));

  routes.action('/account', async (visitor) => {
    const { account, now, actor, form } = visitor;
    const name = (form.get('name') ?? '').trim();
    const result = await db.transaction(
      async (tx) => await renameAccount(tx, account.id, name, now, actor),
    );
    if (result.kind === 'invalid') return await showProfile(db, visitor, name);
    return goTo('/console/account', result.kind === 'renamed' ? 'saved' : 'unchanged');
  });

  routes.action('/account/language', async ({ account, form }) => {
    const chosen = form.get('language');
    const language = chosen === 'en' || chosen === 'ja' ? chosen : null;
    await setAccountLanguage(db, account.id, language);
    // The sign-in page, which knows nobody yet, speaks it too.
    return goTo('/console/account', 'saved', [languageCookie(language, isSecure)]);
  });
}

/** `refused`: the name that was typed and not taken. */
async function showProfile(
  db: ConsoleDeps['db'],
  visitor: Visitor,
  refused: string | null,
): Promise<ConsoleAnswer> {
  const { language, account, formToken } = visitor;
  const text = WORDS[language];
  const shops = await listShopsOfAccount(db, account.id);
  const faults = refused === null ? [] : [{ field: 'name', text: text.badName }];
  const content = html`${accountTabs(language, 'profile')} ${faultSummary(text.notSaved, faults)}
    <section class="sheet">
      <form class="stack" method="post" action="/console/account">
        ${formToken}
        ${textField({
          name: 'name',
          label: text.name,
          hint: text.nameHint,
          value: refused ?? account.name,
          autocomplete: 'name',
          maxLength: 200,
          isRequired: true,
          fault: faultOf(faults, 'name'),
        })}
        <div class="actions">${submitButton(text.save)}</div>
      </form>
    </section>
    <section class="sheet">
      <form class="stack" method="post" action="/console/account/language">
        ${formToken}
        ${radioField({
          name: 'language',
          label: text.language,
          hint: text.languageHint,
          value: account.language ?? '',
          choices: [
            { value: '', label: text.browser },
            { value: 'ja', label: '日本語' },
            { value: 'en', label: 'English' },
          ],
        })}
        <div class="actions">${submitButton(text.saveLanguage, 'second')}</div>
      </form>
    </section>
    <section class="sheet">
      ${facts([[text.email, html`${account.email} <span class="hint below">${text.emailHint}</span>`]])}
    </section>
    <section class="sheet">
      <h2>${text.shops}</h2>
      ${
        shops.length === 0
          ? html`<p>${text.noShops}</p>`
          : html`<ul>
              ${shops.map(
                ({ slug, name, permissions }) =>
                  html`<li>
                    <a href="/console/shops/${slug}">${name}</a>
                    <span class="soft small below"
                      >${permissionsInWords(permissions, language)}</span
                    >
                  </li>`,
              )}
            </ul>`
      }
    </section>`;
  return showPage({
    title: tabName(language, 'profile'),
    section: null,
    status: refused === null ? 200 : 422,
    content,
  });
}
