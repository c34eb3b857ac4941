import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

/** The length of a random nonce: 96 bits (NIST SP 800-38D §8.2.2). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * AES-256-GCM: nonce, ciphertext, tag. `context` is authenticated and must be the same for
 * decryption. A `KeyObject` as the key takes 9 µs, a `Buffer` 55 µs (Node 24).
 */
export function seal(content: string | Buffer, key: Buffer | KeyObject, context: Buffer): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(context);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

export function unseal(
  sealed: Buffer,
  key: Buffer | KeyObject,
  context: Buffer,
): string | undefined {
  return unsealBytes(sealed, key, context)?.toString();
}

/** Returns undefined if the key or context does not match, or the sealed bytes were changed. */
export function unsealBytes(
  sealed: Buffer,
  key: Buffer | KeyObject,
  context: Buffer,
): Buffer | undefined {
  if (sealed.length < SEAL_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(context);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const bytes = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([bytes, decipher.final()]);
  } catch {
    return undefined;
  }
}
