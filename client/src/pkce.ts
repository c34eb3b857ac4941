import { toBase64Url } from './base64.ts';
import { computeHmac, encodeUtf8 } from './hmac.ts';

/** 256 bits cannot be guessed. They encode to 43 characters, the minimum of RFC 7636 §4.1. */
const RANDOM_BYTES = 32;

/** Returns 43 random base64url characters, for `state` and `code_verifier`. */
export function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

/** Returns the `S256` challenge of a verifier (RFC 7636 §4.2). */
export async function challengeOf(codeVerifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', encodeUtf8(codeVerifier));
  return toBase64Url(new Uint8Array(hash));
}

/**
 * Derives the `Idempotency-Key` for the exchange of a code or refresh token (decision 0140), so
 * that every process with the same stored values computes the same key. For a refresh, `secret` is
 * the stored `nextKey`, or else the client secret. `next` derives the `nextKey` of a code's tokens.
 */
export async function idempotencyKeyOf(
  purpose: 'code' | 'refresh' | 'next',
  sent: string,
  secret: string,
): Promise<string> {
  return toBase64Url(
    await computeHmac(encodeUtf8(secret), encodeUtf8(`cardport ${purpose} ${sent}`)),
  );
}

/** Compares two strings in constant time. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) {
    difference |= (one.codePointAt(at) ?? 0) ^ (other.codePointAt(at) ?? 0);
  }
  return difference === 0;
}
