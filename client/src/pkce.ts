import { toBase64Url } from './base64.ts';
import { hmac, utf8 } from './hmac.ts';

/** 256 bits: cannot be guessed, and makes the 43 characters of RFC 7636 §4.1. */
const RANDOM_BYTES = 32;

/** 43 random characters of base64url: a `state`, a `code_verifier`. */
export function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

/** The `code_challenge` of a verifier by `S256` (RFC 7636 §4.2). */
export async function challengeOf(codeVerifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', utf8(codeVerifier));
  return toBase64Url(new Uint8Array(hash));
}

/**
 * The `Idempotency-Key` under which a code or refresh token is sent (decision 0145). It follows from what is kept, so that
 * every process sends the same without asking another, and nobody can tell it without `secret`: the `nextKey` beside the
 * tokens of a refresh, else the client secret. `next`: the `nextKey` of the tokens for a code; those of a refresh have a
 * random one.
 */
export async function idempotencyKeyOf(
  purpose: 'code' | 'refresh' | 'next',
  sent: string,
  secret: string,
): Promise<string> {
  return toBase64Url(await hmac(utf8(secret), utf8(`cardport ${purpose} ${sent}`)));
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) {
    difference |= (one.codePointAt(at) ?? 0) ^ (other.codePointAt(at) ?? 0);
  }
  return difference === 0;
}
