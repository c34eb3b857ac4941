import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { tabMessages } from './messages.ts';

const TABS = ['profile', 'password', 'sessions', 'passkeys'] as const;
export type AccountTab = (typeof TABS)[number];

const PATHS: Readonly<Record<AccountTab, string>> = {
  profile: '/console/account',
  password: '/console/account/password',
  sessions: '/console/account/sessions',
  passkeys: '/console/account/passkeys',
};

export function accountTabs(language: Language, here: AccountTab): Markup {
  const messages = tabMessages[language];
  return html`<nav aria-label="${messages.account}">
    <ul class="tabs">
      ${TABS.map((tab) => {
        const current = tab === here ? html` aria-current="page"` : '';
        return html`<li><a href="${PATHS[tab]}" ${current}>${messages.names[tab]}</a></li>`;
      })}
    </ul>
  </nav>`;
}

export function tabName(language: Language, tab: AccountTab): string {
  return tabMessages[language].names[tab];
}
