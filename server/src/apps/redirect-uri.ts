import { isLoopbackHost } from '../base/loopback.ts';

/** The maximum length of a URI. Some browsers and proxies truncate longer URLs. */
const LENGTH_MAX = 2_048;

/** `path_changes` means that browsers would change the path of the URI and send `href` instead. */
export type RedirectUriProblem =
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
  | { readonly kind: 'path_changes'; readonly href: string };

/**
 * A redirect URI must be an absolute https URL, or an http URL on a loopback host for development
 * (RFC 8252 §7.3), without userinfo or fragment (OAuth 2.1 §2.3), and with a path that browsers do
 * not change. It is stored and compared exactly as typed.
 */
export function checkRedirectUri(uri: string): RedirectUriProblem | null {
  if (uri.length > LENGTH_MAX) return { kind: 'too_long' };
  // Browsers percent-encode other characters, and then an exact comparison would fail.
  if (!/^[\u0021-\u007e]+$/.test(uri)) return { kind: 'characters' };
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (url === null || !/^https?:\/\//i.test(uri)) return { kind: 'not_absolute' };
  if (uri.includes('#')) return { kind: 'fragment' };
  if (url.username !== '' || url.password !== '') return { kind: 'user' };
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return { kind: 'not_https' };
  // A browser cannot resolve a pattern, and redirect URIs are compared exactly (RFC 9700 §2.1).
  if (url.hostname.includes('*')) return { kind: 'pattern' };
  const path = pathAsTyped(uri);
  const isUnchanged = path === '' || path === url.pathname;
  return isUnchanged ? null : { kind: 'path_changes', href: url.href };
}

/** Returns a sentence for operators and developers, or null if the URI is valid. */
export function describeRedirectUriProblem(uri: string): string | null {
  const problem = checkRedirectUri(uri);
  switch (problem?.kind) {
    case undefined:
      return null;
    case 'too_long':
      return `a redirect URI must have at most ${LENGTH_MAX} characters`;
    case 'characters':
      return 'a redirect URI has characters that must be percent-encoded';
    case 'not_absolute':
      return `${uri} must be an absolute http or https URL`;
    case 'fragment':
      return `${uri} must not have a fragment`;
    case 'user':
      return 'a redirect URI must not contain a user name or password';
    case 'not_https':
      return `${uri} must use https (http is allowed only for loopback hosts)`;
    case 'pattern':
      return `${uri} must not have a * in its host`;
    case 'path_changes':
      return `${uri} has a path that browsers change: write it as ${problem.href}`;
  }
}

/** Returns the part between host and query. Browsers resolve dot segments and backslashes in it. */
function pathAsTyped(uri: string): string {
  return uri.replace(/^https?:\/\/[^/?\\]*/i, '').replace(/\?.*$/, '');
}
