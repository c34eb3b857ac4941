import { isLocalhostName, isLoopbackHost } from '../base/loopback.ts';

/** Longest URL (decision 0100); proxies and logs cut longer addresses. */
const LENGTH_MAX = 2_048;

/** Longest origin in the log: scheme, a name of 253 characters (RFC 1035 §2.3.4) and a port fit in. */
const LOGGED_ORIGIN_MAX = 270;

/** What stands in an RFC 3986 uri as it was typed: authority without userinfo, path, query; no fragment. */
const TYPED =
  /^https?:\/\/(?<host>\[[0-9a-f:.]+\]|[\w.~-]+)(?::\d*)?(?<path>\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*)?(?<query>\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*)?$/i;

/** What a URL is held against. */
export interface WebhookUrlRules {
  /** Of the app; https, or http on a loopback host. */
  readonly redirectUris: readonly string[];
  /** True lets http, `localhost`, 127.0.0.0/8 and ::1 pass, for development. */
  readonly allowsLoopback: boolean;
}

/**
 * Says why `url` may be no webhook (specification 4.10, decision 0100), or returns null when it may: https, the same
 * origin as one of the app's redirect URIs, no userinfo, no fragment, no address and no loopback name as its host, a
 * valid RFC 3986 uri of at most 2,048 characters whose host, path and query are what the WHATWG parser makes of them. So
 * what was sent can be echoed as it is, leads where it reads, and its path and query are called exactly as they were sent.
 */
export function findWebhookUrlFault(url: string, rules: WebhookUrlRules): string | null {
  if (url === '' || url.length > LENGTH_MAX) return `not 1 to ${LENGTH_MAX} characters`;
  const typed = TYPED.exec(url)?.groups;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (typed === undefined || parsed === null) {
    return 'no absolute http(s) uri, or one with userinfo, a fragment or characters to encode';
  }
  const { protocol, hostname, pathname, search, origin } = parsed;
  if (typed['host']?.toLowerCase() !== hostname || (typed['path'] ?? '/') !== pathname) {
    return 'it leads elsewhere than it reads';
  }
  // The parser makes %27 of an apostrophe, and nothing of a question mark that nothing follows.
  if ((typed['query'] ?? '') !== search) return 'its query would be called otherwise than it reads';
  if (!(rules.allowsLoopback && isLoopbackHost(hostname))) {
    if (protocol !== 'https:') return 'not https';
    if (isAddress(hostname)) return 'its host is an address';
    if (isLocalhostName(hostname)) return 'its host is a loopback name';
  }
  const isOfApp = rules.redirectUris.some((uri) => originOf(uri) === origin);
  return isOfApp ? null : 'no redirect URI of the app has its origin';
}

/** The origin of a URL (WHATWG): scheme, host, and the port when it is not the scheme's own. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

/** What a log may show of a URL that was refused: its origin, so no userinfo, path or query; null when it has none. */
export function loggedOriginOf(url: string): string | null {
  const origin = URL.canParse(url) ? originOf(url) : 'null';
  return origin === 'null' ? null : origin.slice(0, LOGGED_ORIGIN_MAX);
}

/** The parser has turned every spelling of an IPv4 address (decimal, octal, hex, short) into four numbers. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
}
