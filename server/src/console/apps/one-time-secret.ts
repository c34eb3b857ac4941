import { deriveKey } from '../../base/keys.ts';
import { open, seal } from '../../base/seal.ts';
import type { Queryable } from '../../database/database.ts';
import { readCookie } from '../../html/cookie.ts';
import { markSecretShown } from '../../shops/session.ts';
import type { AccountContext } from '../request-context.ts';

/**
 * Distinguished by `Path`, one cookie for each page. A `__Host-` cookie needs the path `/` and
 * would go with every request.
 */
const COOKIE = 'cardport_once';
/**
 * From the redirect to the page that shows the secret. Long enough for a bad connection; short
 * enough that the next person at this computer does not see the secret.
 */
const LIFETIME_SECONDS = 120;

/** The parts of a request that a carried secret depends on. */
export interface OneTimeSecretContext extends Pick<AccountContext, 'sessionSecret' | 'now'> {
  readonly request: { readonly headers: { readonly cookie?: string | undefined } };
}

/**
 * Carries a secret to the page at `path`, which shows it once (decision 0194). The secret is sealed
 * under a key derived from this browser's session, bound to that path, and not stored on the
 * server. Returns a complete `Set-Cookie`.
 */
export function setOneTimeSecret(
  { sessionSecret, now }: Pick<OneTimeSecretContext, 'sessionSecret' | 'now'>,
  path: string,
  secret: string,
  isSecure: boolean,
): string {
  const endsAtMs = now.getTime() + LIFETIME_SECONDS * 1_000;
  const sealed = seal(`${endsAtMs} ${secret}`, keyOf(sessionSecret), associatedDataOf(path));
  return cookieLine(path, sealed.toString('base64url'), LIFETIME_SECONDS, isSecure);
}

/**
 * The secret carried to the page at `path`, or null when there is none. The session records that it
 * was shown, so that a cookie that the browser still has shows nothing.
 */
export async function readOneTimeSecret(
  db: Queryable,
  { request, sessionSecret, now }: OneTimeSecretContext,
  path: string,
): Promise<string | null> {
  const value = readCookie(request.headers.cookie, COOKIE);
  if (value === undefined) return null;
  const key = keyOf(sessionSecret);
  const text = open(Buffer.from(value, 'base64url'), key, associatedDataOf(path)) ?? '';
  const [, endsAtMs, secret] = /^(\d+) (\S+)$/.exec(text) ?? [];
  if (secret === undefined || Number(endsAtMs) < now.getTime()) return null;
  return (await markSecretShown(db, sessionSecret, new Date(Number(endsAtMs)))) ? secret : null;
}

/** The `Set-Cookie` that removes the secret from the browser. */
export function clearOneTimeSecret(path: string, isSecure: boolean): string {
  return cookieLine(path, '', 0, isSecure);
}

function keyOf(sessionSecret: string): Buffer {
  return deriveKey(sessionSecret, 'shown once');
}

function associatedDataOf(path: string): Buffer {
  return Buffer.from(`cardport shown once ${path}`);
}

function cookieLine(path: string, value: string, maxAgeSeconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${COOKIE}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
