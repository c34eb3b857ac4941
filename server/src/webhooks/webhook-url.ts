import { isLocalhostName, isLoopbackHost } from '../base/loopback.ts';

/** The longest allowed URL (decision 0100), because proxies and logs cut longer URLs. */
const LENGTH_MAX = 2_048;

/** Enough for the scheme, a host name of 253 characters (RFC 1035 §2.3.4) and a port. */
const LOGGED_ORIGIN_MAX = 270;

/** Matches an RFC 3986 URI: authority without userinfo, path, query; no fragment. */
const URI_PATTERN =
  /^https?:\/\/(?<host>\[[0-9a-f:.]+\]|[\w.~-]+)(?::\d*)?(?<path>\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*)?(?<query>\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*)?$/i;

export interface WebhookUrlRules {
  /** The app's redirect URIs: https, or http on a loopback host. */
  readonly redirectUris: readonly string[];
  /** For development: allows http, `localhost`, 127.0.0.0/8 and ::1. */
  readonly allowsLoopback: boolean;
}

/**
 * Checks a webhook URL (spec 4.10, decision 0100): https, the origin of a redirect URI of the app,
 * and no userinfo, fragment, IP address or loopback name. The WHATWG parser must not change its
 * host, path or query, so that requests go to the host that the URL shows, and to exactly this URL.
 */
export function findWebhookUrlProblem(url: string, rules: WebhookUrlRules): string | null {
  if (url === '' || url.length > LENGTH_MAX) {
    return `the URL must have 1 to ${LENGTH_MAX} characters`;
  }
  const typed = URI_PATTERN.exec(url)?.groups;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (typed === undefined || parsed === null) {
    return 'the URL must be absolute, without userinfo, fragment or characters that need encoding';
  }
  const { protocol, hostname, pathname, search, origin } = parsed;
  if (typed['host']?.toLowerCase() !== hostname || (typed['path'] ?? '/') !== pathname) {
    return 'the host and path must be normalized, as a URL parser writes them';
  }
  // The parser encodes an apostrophe as %27 and drops a question mark with nothing after it.
  if ((typed['query'] ?? '') !== search) {
    return 'the query must be normalized, as a URL parser writes it';
  }
  if (!(rules.allowsLoopback && isLoopbackHost(hostname))) {
    if (protocol !== 'https:') return 'the URL must be https';
    if (isIpAddress(hostname)) return 'the host must not be an IP address';
    if (isLocalhostName(hostname)) return 'the host must not be a loopback name';
  }
  const isOfApp = rules.redirectUris.some((uri) => originOf(uri) === origin);
  return isOfApp ? null : 'the URL must have the same origin as a redirect URI of the app';
}

/** Returns the WHATWG origin: scheme, host, and the port unless it is the scheme's default. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

/** Returns the origin of a refused URL, the only part that may be logged. Null if it has none. */
export function originForLog(url: string): string | null {
  const origin = URL.canParse(url) ? originOf(url) : 'null';
  return origin === 'null' ? null : origin.slice(0, LOGGED_ORIGIN_MAX);
}

/** The parser has normalized every form of IPv4 address (decimal, octal, hex, short). */
function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
}
