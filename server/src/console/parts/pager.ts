import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { pagerMessages } from '../messages.ts';

/** Links of a list that is read by position: back to its start, and on. Nothing when all of it is shown. */
export function pager(
  language: Language,
  { firstHref, nextHref }: { readonly firstHref: string | null; readonly nextHref: string | null },
): Markup | '' {
  if (firstHref === null && nextHref === null) return '';
  const messages = pagerMessages[language];
  return html`<nav class="pager" aria-label="${messages.pages}">
    ${firstHref === null ? '' : html`<a class="button second" href="${firstHref}">${messages.first}</a>`}
    ${nextHref === null ? '' : html`<a class="button second" rel="next" href="${nextHref}">${messages.next}</a>`}
  </nav>`;
}

/** An address with the values of a query; empty ones are left out. */
export function withQuery(
  path: string,
  values: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
