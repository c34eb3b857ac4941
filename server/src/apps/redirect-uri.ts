import { isLoopbackHost } from '../base/loopback.ts';

/** Longest redirect URI; browsers and proxies cut longer addresses. */
const LENGTH_MAX = 2_048;

/**
 * Says why `uri` may be no redirect URI, or returns null when it may: an absolute https address, or http on a loopback
 * host for development (RFC 8252 §7.3), without userinfo or fragment (OAuth 2.1 §2.3), whose path is what a browser
 * makes of it. It is kept and compared exactly as it was typed.
 */
export function findRedirectUriFault(uri: string): string | null {
  if (uri.length > LENGTH_MAX) return `a redirect URI is longer than ${LENGTH_MAX} characters`;
  // Printable ASCII only: what a browser would percent-encode could not be compared exactly.
  if (!/^[\u0021-\u007e]+$/.test(uri)) {
    return 'a redirect URI holds characters that must be percent-encoded';
  }
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (url === null || !/^https?:\/\//i.test(uri)) return `${uri} is no absolute http(s) address`;
  if (uri.includes('#')) return `${uri} has a fragment`;
  if (url.username !== '' || url.password !== '') return 'a redirect URI names a user';
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return `${uri} is not https (http is for loopback hosts only)`;
  }
  // A browser cannot look a pattern up, and a redirect URI is compared exactly (RFC 9700 §2.1).
  if (url.hostname.includes('*')) return `${uri} has a * in its host`;
  const path = pathAsTyped(uri);
  if (path !== '' && path !== url.pathname) {
    return `${uri} leads elsewhere than it reads: write it as ${url.href}`;
  }
  return null;
}

/** What stands between host and query: a browser resolves dot segments and turns backslashes around in it. */
function pathAsTyped(uri: string): string {
  return uri.replace(/^https?:\/\/[^/?\\]*/i, '').replace(/\?.*$/, '');
}
