import { html } from 'hono/html';
import { judgeRedirectUri } from '../../apps/redirect-uri.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { MessagesOf } from '../../pages/messages.ts';
import { redirectUriMessages } from './messages/form.ts';

/** For each app (0002_apps.sql). */
export const REDIRECT_URIS_MAX = 20;
/** Longest part of an address that a message repeats, in characters. */
const SHOWN_MAX = 120;

/** The addresses in a text, one on each line, without empty lines and surrounding spaces. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * What is wrong with the lines by the service's own rule, in sentences; empty when all are valid
 * redirect URIs.
 */
export function faultsOfLines(lines: readonly string[], language: Language): string[] {
  const messages = redirectUriMessages[language];
  if (lines.length === 0) return [messages.none];
  if (lines.length > REDIRECT_URIS_MAX) return [messages.tooMany(REDIRECT_URIS_MAX)];
  return lines.flatMap((uri, index) => {
    const fault = lines.indexOf(uri) < index ? messages.twice : faultText(uri, messages);
    return fault === null ? [] : [messages.line(index + 1, shorten(uri), fault)];
  });
}

/** The result of the check that a script shows under the field during typing. */
export function checkedLines(lines: readonly string[], language: Language): Markup {
  if (lines.length === 0) return html``;
  const faults = faultsOfLines(lines, language);
  const { good } = redirectUriMessages[language];
  if (faults.length === 0) return html`<p class="fine">${good(lines.length)}</p>`;
  return html`<ul class="fault">
    ${faults.map((fault) => html`<li>${fault}</li>`)}
  </ul>`;
}

function faultText(uri: string, messages: MessagesOf<typeof redirectUriMessages>): string | null {
  const fault = judgeRedirectUri(uri);
  if (fault === null) return null;
  return fault.kind === 'elsewhere'
    ? messages.elsewhere(shorten(fault.href))
    : messages.faults[fault.kind];
}

function shorten(uri: string): string {
  return uri.length <= SHOWN_MAX ? uri : `${uri.slice(0, SHOWN_MAX)}…`;
}
