import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';

const COPY: Readonly<Record<Language, string>> = { en: 'Copy', ja: 'コピー' };

/** Renders a value with a button that copies it. */
export function copyableValue(value: string, language: Language, about: string): Markup {
  return html`<span class="copyable"
    ><code>${value}</code> ${copyButton(value, language, about)}</span
  >`;
}

/** Renders a button that copies a value. `about` names the value for screen readers. */
export function copyButton(value: string, language: Language, about?: string): Markup {
  const label = COPY[language];
  // A script shows the button if the browser can copy. It also changes the text for a moment after
  // a copy, so `aria-label` names the value.
  const name = about === undefined ? '' : html` aria-label="${`${label}: ${about}`}"`;
  return html`<button type="button" class="second" data-copy="${value}" hidden${name}>
    ${label}
  </button>`;
}
