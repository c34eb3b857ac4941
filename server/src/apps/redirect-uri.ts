import { isLoopbackHost } from '../base/loopback.ts';

/** Longest redirect URI; browsers and proxies cut longer addresses. */
const LENGTH_MAX = 2_048;

/** Why an address may be no redirect URI. `elsewhere`: `href` is how it would have to be written. */
export type RedirectUriFault =
  | {
      readonly kind:
        | 'too_long'
        | 'characters'
        | 'not_absolute'
        | 'fragment'
        | 'user'
        | 'not_https'
        | 'pattern';
    }
  | { readonly kind: 'elsewhere'; readonly href: string };

/**
 * Says why `uri` may be no redirect URI, or returns null when it may: an absolute https address, or http on a loopback
 * host for development (RFC 8252 §7.3), without userinfo or fragment (OAuth 2.1 §2.3), whose path is what a browser
 * makes of it. It is kept and compared exactly as it was typed.
 */
export function judgeRedirectUri(uri: string): RedirectUriFault | null {
  if (uri.length > LENGTH_MAX) return { kind: 'too_long' };
  // Printable ASCII only: what a browser would percent-encode could not be compared exactly.
  if (!/^[\u0021-\u007e]+$/.test(uri)) return { kind: 'characters' };
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (url === null || !/^https?:\/\//i.test(uri)) return { kind: 'not_absolute' };
  if (uri.includes('#')) return { kind: 'fragment' };
  if (url.username !== '' || url.password !== '') return { kind: 'user' };
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return { kind: 'not_https' };
  // A browser cannot look a pattern up, and a redirect URI is compared exactly (RFC 9700 §2.1).
  if (url.hostname.includes('*')) return { kind: 'pattern' };
  const path = pathAsTyped(uri);
  const isAsTyped = path === '' || path === url.pathname;
  return isAsTyped ? null : { kind: 'elsewhere', href: url.href };
}

/** `judgeRedirectUri` in a sentence for operators and developers. */
export function findRedirectUriFault(uri: string): string | null {
  const fault = judgeRedirectUri(uri);
  switch (fault?.kind) {
    case undefined:
      return null;
    case 'too_long':
      return `a redirect URI is longer than ${LENGTH_MAX} characters`;
    case 'characters':
      return 'a redirect URI holds characters that must be percent-encoded';
    case 'not_absolute':
      return `${uri} is no absolute http(s) address`;
    case 'fragment':
      return `${uri} has a fragment`;
    case 'user':
      return 'a redirect URI names a user';
    case 'not_https':
      return `${uri} is not https (http is for loopback hosts only)`;
    case 'pattern':
      return `${uri} has a * in its host`;
    case 'elsewhere':
      return `${uri} leads elsewhere than it reads: write it as ${fault.href}`;
  }
}

/** What stands between host and query: a browser resolves dot segments and turns backslashes around in it. */
function pathAsTyped(uri: string): string {
  return uri.replace(/^https?:\/\/[^/?\\]*/i, '').replace(/\?.*$/, '');
}
