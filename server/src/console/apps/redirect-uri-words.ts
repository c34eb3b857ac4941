import { html } from 'hono/html';
import { judgeRedirectUri, type RedirectUriFault } from '../../apps/redirect-uri.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';

/** Of an app at most (0002_apps.sql). */
export const REDIRECT_URIS_MAX = 20;
/** Characters of an address that a sentence repeats. */
const SHOWN_MAX = 120;

type FaultWords = Readonly<Record<Exclude<RedirectUriFault['kind'], 'elsewhere'>, string>>;

interface Words extends FaultWords {
  readonly elsewhere: (href: string) => string;
  readonly line: (number: number, uri: string, fault: string) => string;
  readonly none: string;
  readonly tooMany: string;
  readonly twice: string;
  readonly good: (count: number) => string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    too_long: 'longer than 2,048 characters',
    characters: 'holds spaces or characters that must be percent-encoded',
    not_absolute: 'is no whole address: it begins with https:// and a host',
    fragment: 'must not contain #',
    user: 'must not name a user or password',
    not_https: 'must begin with https:// (http:// is for localhost only)',
    pattern: 'must not contain * in its host: every address is written out',
    elsewhere: (href) => `leads elsewhere than it reads: write it as ${href}`,
    line: (number, uri, fault) => `Line ${number}: ${uri} ${fault}.`,
    none: 'Enter at least one address.',
    tooMany: `At most ${REDIRECT_URIS_MAX} addresses.`,
    twice: 'stands there twice',
    good: (count) => (count === 1 ? '1 valid address.' : `${count} valid addresses.`),
  },
  ja: {
    too_long: 'は 2,048 文字を超えています',
    characters: 'に空白またはパーセントエンコードが必要な文字が含まれています',
    not_absolute: 'は完全なアドレスではありません。https:// とホスト名から始めてください',
    fragment: 'に # を含めることはできません',
    user: 'にユーザー名やパスワードを含めることはできません',
    not_https: 'は https:// で始めてください（http:// は localhost のみ使えます）',
    pattern: 'のホスト名に * は使えません。アドレスを 1 つずつ入力してください',
    elsewhere: (href) => `は実際の行き先と異なります。${href} と入力してください`,
    line: (number, uri, fault) => `${number} 行目：${uri} ${fault}。`,
    none: 'アドレスを 1 つ以上入力してください。',
    tooMany: `アドレスは ${REDIRECT_URIS_MAX} 個までです。`,
    twice: 'が重複しています',
    good: (count) => `${count} 個のアドレスに問題はありません。`,
  },
};

/** The addresses of a text with one on each line; empty lines and spaces around them are passed over. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** What the service's own rule says of the lines, in sentences; none when all may be redirect URIs. */
export function faultsOfLines(lines: readonly string[], language: Language): string[] {
  const text = WORDS[language];
  if (lines.length === 0) return [text.none];
  if (lines.length > REDIRECT_URIS_MAX) return [text.tooMany];
  return lines.flatMap((uri, index) => {
    const fault = lines.indexOf(uri) < index ? text.twice : faultText(uri, text);
    return fault === null ? [] : [text.line(index + 1, shorten(uri), fault)];
  });
}

/** What a script shows beneath the field while it is typed in. */
export function checkedLines(lines: readonly string[], language: Language): Markup {
  if (lines.length === 0) return html``;
  const faults = faultsOfLines(lines, language);
  if (faults.length === 0) return html`<p class="fine">${WORDS[language].good(lines.length)}</p>`;
  return html`<ul class="fault">
    ${faults.map((fault) => html`<li>${fault}</li>`)}
  </ul>`;
}

function faultText(uri: string, text: Words): string | null {
  const fault = judgeRedirectUri(uri);
  if (fault === null) return null;
  return fault.kind === 'elsewhere' ? text.elsewhere(shorten(fault.href)) : text[fault.kind];
}

function shorten(uri: string): string {
  return uri.length <= SHOWN_MAX ? uri : `${uri.slice(0, SHOWN_MAX)}…`;
}
