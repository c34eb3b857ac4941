import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { DatabaseUrlError, splitHosts } from '../base/database-url.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import type { MailSender, MailTarget } from '../base/mail-settings.ts';
import type { PhotoStoreSettings } from '../base/photo-store.ts';
import type { RateLimit, RateLimits } from '../base/rate-limits.ts';

export interface HiddenText {
  readonly reveal: () => string;
}

export function hideText(value: string): HiddenText {
  return { reveal: () => value };
}

/** The message says what is wrong with a value, without the variable's name and without secrets. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Returns a parser for an integer from `min` to `max` in decimal digits. */
export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new ConfigError(`must be a whole number from ${min} to ${max}`);
  };
}

export function parseChoice<Word extends string>(
  ...words: readonly Word[]
): (text: string) => Word {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw new ConfigError(`must be one of ${words.join(', ')}`);
    return word;
  };
}

export function parseBoolean(text: string): boolean {
  return parseChoice('true', 'false')(text) === 'true';
}

export function parseHost(text: string): string {
  if (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return text;
  throw new ConfigError('must be a host name or an IP address');
}

/** spec 5.1: https, or http on loopback. No path, because RFC 9728 documents are at the root. */
export function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ConfigError('must be a URL that begins with https:// or http://');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new ConfigError('must have only a scheme, a host and a port');
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new ConfigError('must use https unless its host is loopback');
  }
  return url.origin;
}

/** The minimum length, so that a key cannot be guessed: 32 base64 characters are 192 bits. */
const SECRET_KEY_LENGTH_MIN = 32;

/** Parses the secret from which every other key is derived. */
export function parseSecretKey(text: string): HiddenText {
  if (text.length < SECRET_KEY_LENGTH_MIN) {
    throw new ConfigError(`must have at least ${SECRET_KEY_LENGTH_MIN} characters`);
  }
  return hideText(text);
}

/** The URL may name several hosts. It is hidden, because it may contain a password. */
export function parseDatabaseUrl(text: string): HiddenText {
  try {
    splitHosts(text);
  } catch (error) {
    if (error instanceof DatabaseUrlError) throw new ConfigError(error.message);
    throw error;
  }
  return hideText(text);
}

/** Parses a folder or `s3://bucket/prefix?region=…&endpoint=…&pathStyle=…`. */
export function parsePhotoStore(text: string): PhotoStoreSettings {
  if (!/^[a-z0-9]+:\/\//i.test(text)) return { kind: 'folder', path: resolve(text) };
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(
    text,
  );
  if (match === null) {
    throw new ConfigError(
      text.startsWith('s3://')
        ? 'must name a bucket of 3 to 63 lower-case letters, digits, dots and hyphens'
        : 'must be a folder or s3://bucket/prefix?region=…&endpoint=…',
    );
  }
  const [, bucket = '', prefix = '', query = ''] = match;
  const options = readStoreOptions(new URLSearchParams(query));
  return { kind: 's3', bucket, prefix: prefix.replace(/^\/+|\/+$/g, ''), ...options };
}

type StoreOptions = Pick<
  Extract<PhotoStoreSettings, { readonly kind: 's3' }>,
  'region' | 'endpoint' | 'isPathStyle'
>;

const STORE_OPTIONS: readonly string[] = ['region', 'endpoint', 'pathStyle'];

function readStoreOptions(query: URLSearchParams): StoreOptions {
  const names = [...query.keys()];
  if (names.some((name) => !STORE_OPTIONS.includes(name)) || new Set(names).size < names.length) {
    throw new ConfigError(
      `may have only the options ${STORE_OPTIONS.join(', ')}, each at most once`,
    );
  }
  const region = query.get('region');
  if (region !== null && !/^[a-z0-9-]{1,64}$/.test(region)) {
    throw new ConfigError('must have a valid region, such as eu-central-1');
  }
  const endpoint = query.get('endpoint');
  const isPathStyle = query.get('pathStyle');
  return {
    region,
    endpoint: endpoint === null ? null : parseStoreEndpoint(endpoint),
    // S3 services other than Amazon's rarely have a host name for each bucket.
    isPathStyle: isPathStyle === null ? endpoint !== null : parseBoolean(isPathStyle),
  };
}

function parseStoreEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new ConfigError('must have an endpoint that is an origin with https:// or http://');
  }
  return url.origin;
}

/** The default ports of `smtp:` and `smtps:` (RFC 6409 §3.1, RFC 8314 §3.3). */
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/**
 * Parses a folder, `smtp://user:password@host:port` or `smtps://…`. A password is sent only over
 * TLS or to this machine, and no error message contains it.
 */
export function parseMailTarget(text: string): MailTarget {
  if (!/^[a-z0-9+.-]+:\/\//i.test(text)) return { kind: 'folder', path: resolve(text) };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new ConfigError('must be a folder or smtp://user:password@host:port');
  }
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new ConfigError('must have only a user, a password, a host and a port');
  }
  const isSecure = url.protocol === 'smtps:';
  const hasUser = url.username !== '';
  const address = hideText(text);
  try {
    readCredentials(address);
  } catch {
    throw new ConfigError('must have a percent-encoded user and password');
  }
  return {
    kind: 'smtp',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port),
    isSecure,
    needsTls: isSecure || (hasUser && !isLoopbackHost(url.hostname)),
    credentials: hasUser ? () => readCredentials(address) : null,
  };
}

function readCredentials(address: HiddenText): {
  readonly user: string;
  readonly password: string;
} {
  const { username, password } = new URL(address.reveal());
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** Parses `Name <address>` or an address alone. */
export function parseMailSender(text: string): MailSender {
  const [, name = '', bracketed] = /^([^<>]*)<([^<>]*)>$/.exec(text) ?? [];
  const address = (bracketed ?? text).trim();
  if (!/^[^\s@<>()[\]:;,"\\]+@[^\s@<>()[\]:;,"\\]+$/.test(address)) {
    throw new ConfigError('must be an address such as shop@example.com or Shop <shop@example.com>');
  }
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

/** Which `X-Forwarded-For` entries to trust: none, the last n, or those of the listed proxies. */
type TrustProxy = false | number | readonly string[];

/** Parses `off`, the number of proxies (`true` means 1), or a list of addresses and ranges. */
export function parseTrustProxy(text: string): TrustProxy {
  if (text === 'off' || text === 'false') return false;
  if (text === 'true') return 1;
  if (/^[1-9]$/.test(text)) return Number(text);
  const ranges = text.split(',').map((range) => range.trim());
  const isRange = (range: string): boolean => {
    if (['loopback', 'linklocal', 'uniquelocal'].includes(range)) return true;
    const [address = '', bits, ...rest] = range.split('/');
    const family = isIP(address);
    const bitsMax = family === 4 ? 32 : 128;
    const isPrefixValid = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
    return family !== 0 && isPrefixValid && rest.length === 0;
  };
  if (ranges.every(isRange)) return ranges;
  throw new ConfigError(
    'must be "off", the number of proxies (1 to 9), or a list of IP addresses and ranges',
  );
}

const rateLimitDefaults: RateLimits = {
  api: { perMinute: 6_000, burst: 1_000 },
  search: { perMinute: 6_000, burst: 1_000 },
  photos: { perMinute: 6_000, burst: 1_000 },
  token: { perMinute: 600, burst: 600 },
  authorize: { perMinute: 600, burst: 600 },
  shop: { perMinute: 6_000, burst: 1_000 },
  console: { perMinute: 1_200, burst: 300 },
  failures: { perMinute: 60, burst: 60 },
};

/** Parses `off` or a list of `bucket=per minute/burst`. Other buckets keep their default. */
export function parseRateLimits(text: string): RateLimits | null {
  if (text === 'off') return null;
  const limits: Record<string, RateLimit> = { ...rateLimitDefaults };
  for (const item of text.split(',').filter((part) => part.trim() !== '' && part !== 'default')) {
    const match = /^\s*([a-z]+)=(\d{1,9})(?:\/(\d{1,9}))?\s*$/.exec(item);
    const name = match?.[1] ?? '';
    const perMinute = Number(match?.[2]);
    const burst = Number(match?.[3] ?? match?.[2]);
    if (!Object.hasOwn(rateLimitDefaults, name) || !(perMinute > 0) || !(burst > 0)) {
      const names = Object.keys(rateLimitDefaults).join(', ');
      throw new ConfigError(
        `must be "off", or a list such as api=6000/1000 with the names ${names}`,
      );
    }
    limits[name] = { perMinute, burst };
  }
  return { ...rateLimitDefaults, ...limits };
}
