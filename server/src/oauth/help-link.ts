import { html } from 'hono/html';
import type { Language } from '../html/language.ts';
import type { Markup } from '../html/page.ts';
import { helpMessages } from './messages.ts';

/** Links to the section of the docs that tells members what to do about an app's request. */
export function renderHelpLink(language: Language): Markup {
  const { text, section } = helpMessages[language];
  return html`<p><a href="/docs/console?lang=${language}#${section}">${text}</a></p>`;
}
