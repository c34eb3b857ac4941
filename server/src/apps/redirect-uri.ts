import { isLoopbackHost } from '../base/loopback.ts';

/** Longest redirect URI; browsers and proxies cut longer addresses. */
const LENGTH_MAX = 2_048;

/**
 * Says why `uri` may be no redirect URI, or returns null when it may: an absolute https address, or http on a loopback
 * host for development (RFC 8252 §7.3), without userinfo or fragment (OAuth 2.1 §2.3). It is kept and compared exactly
 * as it was typed.
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
  return null;
}
