import { hkdfSync } from 'node:crypto';

/** Each purpose has a separate key, so that a leaked key reveals nothing about other keys. */
export type KeyPurpose =
  | 'cursor'
  | 'cookie'
  | 'csrf'
  | 'refresh answer'
  | 'refresh token'
  | 'signing key seal'
  | 'signing key slot'
  | 'webhook secret seal'
  | 'webhook secret key id'
  | 'shown once'
  | 'kept form'
  | 'device'
  | 'passkey challenge';

/** Derives a key from `SECRET_KEY` with HKDF-SHA256 (RFC 5869): the same on every node. */
export function deriveKey(secretKey: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, 'cardport', purpose, 32));
}
