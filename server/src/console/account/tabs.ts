import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';

/** The pages of a person, in the order of their links. */
const TABS = ['profile', 'password', 'sessions', 'passkeys'] as const;
export type Tab = (typeof TABS)[number];

interface Words extends Readonly<Record<Tab, string>> {
  readonly label: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    label: 'My account',
    profile: 'Name and language',
    password: 'Password',
    sessions: 'Where I am signed in',
    passkeys: 'Passkeys',
  },
  ja: {
    label: 'アカウント',
    profile: '名前と言語',
    password: 'パスワード',
    sessions: 'ログイン中のブラウザ',
    passkeys: 'パスキー',
  },
};

const PATHS: Readonly<Record<Tab, string>> = {
  profile: '/console/account',
  password: '/console/account/password',
  sessions: '/console/account/sessions',
  passkeys: '/console/account/passkeys',
};

/** The links between a person's pages. */
export function accountTabs(language: Language, here: Tab): Markup {
  const text = WORDS[language];
  return html`<nav aria-label="${text.label}">
    <ul class="tabs">
      ${TABS.map((tab) => {
        const current = tab === here ? html` aria-current="page"` : '';
        return html`<li><a href="${PATHS[tab]}" ${current}>${text[tab]}</a></li>`;
      })}
    </ul>
  </nav>`;
}

/** What a page of a person is called. */
export function tabName(language: Language, tab: Tab): string {
  return WORDS[language][tab];
}
