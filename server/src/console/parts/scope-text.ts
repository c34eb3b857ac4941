import { html } from 'hono/html';
import type { Scope } from '../../apps/scope.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { scopeMessages } from './messages/apps.ts';

/** The scopes in display order: those for the shop's data come first. */
export const SCOPES_IN_ORDER: readonly Scope[] = [
  'inventory:read',
  'purchase-boosts:read',
  'offline_access',
  'openid',
  'profile',
];

export function scopeName(scope: Scope, language: Language): string {
  return scopeMessages[language][scope].name;
}

/** Returns a sentence or two about what an app with the scope can see. */
export function scopeDescription(scope: Scope, language: Language): string {
  return scopeMessages[language][scope].meaning;
}

/** Returns the names of scopes for a table cell, such as `Stock, Stay connected`. */
export function scopeNames(scopes: readonly Scope[], language: Language): string {
  const names = sorted(scopes).map((scope) => scopeName(scope, language));
  return names.join(language === 'ja' ? '、' : ', ');
}

export function scopeList(scopes: readonly Scope[], language: Language): Markup {
  return html`<ul class="scopes">
    ${sorted(scopes).map(
      (scope) =>
        html`<li>
          <strong>${scopeName(scope, language)}</strong> <code>${scope}</code>
          <p class="soft small">${scopeDescription(scope, language)}</p>
        </li>`,
    )}
  </ul>`;
}

function sorted(scopes: readonly Scope[]): readonly Scope[] {
  return SCOPES_IN_ORDER.filter((scope) => scopes.includes(scope));
}
