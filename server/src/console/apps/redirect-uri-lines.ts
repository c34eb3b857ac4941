import { html } from 'hono/html';
import { checkRedirectUri } from '../../apps/redirect-uri.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import type { MessagesOf } from '../../html/messages.ts';
import { redirectUriMessages } from './messages/form.ts';

/** The maximum number of redirect URIs of one app (0002_apps.sql). */
export const REDIRECT_URIS_MAX = 20;
/** The maximum number of characters of an address in a message. */
const SHOWN_MAX = 120;

export function splitLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * Returns one sentence for each error in the lines, or an empty array if all lines are valid
 * redirect URIs.
 */
export function findLineErrors(lines: readonly string[], language: Language): string[] {
  const messages = redirectUriMessages[language];
  if (lines.length === 0) return [messages.none];
  if (lines.length > REDIRECT_URIS_MAX) return [messages.tooMany(REDIRECT_URIS_MAX)];
  return lines.flatMap((uri, index) => {
    const error = lines.indexOf(uri) < index ? messages.twice : errorText(uri, messages);
    return error === null ? [] : [messages.line(index + 1, shorten(uri), error)];
  });
}

/** Renders the result of the check that a script shows under the field during typing. */
export function renderLineCheck(lines: readonly string[], language: Language): Markup {
  if (lines.length === 0) return html``;
  const errors = findLineErrors(lines, language);
  const { good } = redirectUriMessages[language];
  if (errors.length === 0) return html`<p class="fine">${good(lines.length)}</p>`;
  return html`<ul class="fault">
    ${errors.map((error) => html`<li>${error}</li>`)}
  </ul>`;
}

function errorText(uri: string, messages: MessagesOf<typeof redirectUriMessages>): string | null {
  const error = checkRedirectUri(uri);
  if (error === null) return null;
  return error.kind === 'path_changes'
    ? messages.elsewhere(shorten(error.href))
    : messages.faults[error.kind];
}

function shorten(uri: string): string {
  return uri.length <= SHOWN_MAX ? uri : `${uri.slice(0, SHOWN_MAX)}…`;
}
