import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { deriveKey } from '../base/keys.ts';
import { open, seal } from '../base/seal.ts';

/** Standard Webhooks takes 24 to 64 bytes; 256 bits are what HMAC-SHA256 has use for. */
const SECRET_BYTES = 32;
/** Bytes of a key's id: keys of one deployment are told apart, and nothing is said of the key. */
const KEY_ID_BYTES = 12;

/** A fresh signing secret: `whsec_` and the standard padded base64 of 32 random bytes (decision 0100). */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** A signing secret as it is kept: ciphertext, and the id of the key that opens it. */
export interface SealedSecret {
  readonly sealed: Buffer;
  readonly keyId: string;
}

interface SealingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/**
 * Seals and opens the signing secrets of webhooks under keys derived from `SECRET_KEY`, and opens what was sealed under
 * `SECRET_KEY_PREVIOUS`. A secret is bound to its connection: moved to another row, it does not open.
 */
export class WebhookSecrets {
  /** Ids of every key that opens here, the one that seals first. */
  readonly keyIds: readonly string[];
  readonly #current: SealingKey;
  readonly #keys: ReadonlyMap<string, KeyObject>;

  constructor(current: string, previous: string | null) {
    this.#current = sealingKeyOf(current);
    const keys = new Map([[this.#current.id, this.#current.key]]);
    if (previous !== null) {
      const { id, key } = sealingKeyOf(previous);
      keys.set(id, key);
    }
    this.#keys = keys;
    this.keyIds = [...keys.keys()];
  }

  /** Seals a secret under the current key. */
  seal(secret: string, shopId: string, connectionId: string): SealedSecret {
    const { id, key } = this.#current;
    return { sealed: seal(secret, key, contextOf(shopId, connectionId)), keyId: id };
  }

  /** The secret, or undefined when no key here opens it, or it was sealed for another connection. */
  open(sealed: Buffer, keyId: string, shopId: string, connectionId: string): string | undefined {
    const key = this.#keys.get(keyId);
    return key === undefined ? undefined : open(sealed, key, contextOf(shopId, connectionId));
  }
}

function sealingKeyOf(secretKey: string): SealingKey {
  const id = deriveKey(secretKey, 'webhook secret key id').subarray(0, KEY_ID_BYTES);
  const key = createSecretKey(deriveKey(secretKey, 'webhook secret seal'));
  return { id: id.toString('base64url'), key };
}

function contextOf(shopId: string, connectionId: string): Buffer {
  return Buffer.from(`cardport webhook secret ${shopId} ${connectionId}`);
}
