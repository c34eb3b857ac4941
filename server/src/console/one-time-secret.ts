import { deriveKey } from '../base/keys.ts';
import { seal, unseal } from '../base/seal.ts';
import type { Queryable } from '../database/database.ts';
import { readCookie } from '../html/cookie.ts';
import { markSecretShown } from '../shops/session.ts';
import type { AccountContext } from './request-context.ts';

/** The cookies of pages differ in `Path`. A `__Host-` cookie would be sent with every request. */
const COOKIE = 'cardport_once';
/**
 * The time between the redirect and the page that shows the secret: long enough for a slow network,
 * and short enough that the next person at this computer does not see the secret.
 */
const LIFETIME_SECONDS = 120;

/** The parts of a request context that are needed to read a one-time secret. */
export interface OneTimeSecretContext extends Pick<AccountContext, 'sessionSecret' | 'now'> {
  readonly request: { readonly headers: { readonly cookie?: string | undefined } };
}

/**
 * Returns the `Set-Cookie` value that carries a secret to the page at `path`, which shows the
 * secret once (decision 0194). The secret is sealed under a key derived from this browser's
 * session, bound to that path, and not stored on the server.
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
 * Returns the secret carried to the page at `path`, or null if there is none. The session records
 * that the secret was shown, so that the browser's cookie cannot show the secret again.
 */
export async function readOneTimeSecret(
  db: Queryable,
  { request, sessionSecret, now }: OneTimeSecretContext,
  path: string,
): Promise<string | null> {
  const value = readCookie(request.headers.cookie, COOKIE);
  if (value === undefined) return null;
  const key = keyOf(sessionSecret);
  const text = unseal(Buffer.from(value, 'base64url'), key, associatedDataOf(path)) ?? '';
  const [, endsAtMs, secret] = /^(\d+) (\S+)$/.exec(text) ?? [];
  if (secret === undefined || Number(endsAtMs) < now.getTime()) return null;
  return (await markSecretShown(db, sessionSecret, new Date(Number(endsAtMs)))) ? secret : null;
}

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
