import { hkdfSync } from 'node:crypto';

/** One key per purpose, so that a leaked key reveals nothing about another. */
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
  | 'device';

/** HKDF-SHA256 (RFC 5869) of the deployment's `SECRET_KEY`: the same on every node. */
export function deriveKey(secretKey: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, 'cardport', purpose, 32));
}
