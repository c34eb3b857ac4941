import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { toBase62 } from './base62.ts';

/**
 * 256 bits: the stored SHA-256 needs no salt and no stretching. Fewer than 16 bytes could be
 * guessed.
 */
const SECRET_BYTES = 32;

/** People, log filters and secret scanners recognize our values by it (decision 0007). */
export type SecretPrefix = 'app' | 'cps' | 'cpa' | 'cpr' | 'cpc' | 'cpw' | 'cpi' | 'csk';

/**
 * The prefix, `_`, then 43 letters and digits: URL-encoded and plain Basic credentials are then the
 * same bytes (RFC 6749 §2.3.1).
 */
export function newSecret(prefix: SecretPrefix): string {
  return `${prefix}_${toBase62(randomBytes(SECRET_BYTES))}`;
}

export function newId(): string {
  return randomUUID();
}

/** SHA-256 in base64url: the only form in which a secret is stored. */
export function hashSecret(secret: string): string {
  // The one-shot function takes 0.6 µs instead of 1.8, on every request of every API.
  return hash('sha256', secret, 'base64url');
}

/** Constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
