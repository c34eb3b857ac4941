import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { deriveKey } from '../base/keys.ts';
import { seal, unseal } from '../base/seal.ts';
import { type SigningKeys, signingKeysOf } from './signature.ts';

/** Standard Webhooks requires 24 to 64 bytes; HMAC-SHA256 gains nothing from more than 256 bits. */
const SECRET_BYTES = 32;
/** Long enough to distinguish the keys of a deployment. It reveals nothing about the key. */
const KEY_ID_BYTES = 12;
/** The maximum number of secrets whose keys are kept, each in about 1.6 kB. */
const KEPT_MAX = 4_096;

/** Returns a new secret: `whsec_` and 32 random bytes in padded standard base64 (decision 0100). */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

export interface SealedSecret {
  readonly sealed: Buffer;
  readonly keyId: string;
}

interface SealingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/**
 * Encrypts signing secrets with a key derived from `SECRET_KEY`, and also reads those encrypted
 * with `SECRET_KEY_PREVIOUS`. A secret can only be decrypted in the row of its connection.
 */
export class WebhookSecrets {
  /** The ids of the keys that can decrypt secrets, the current key first. */
  readonly keyIds: readonly string[];
  readonly #current: SealingKey;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** The keys of decrypted secrets, by all arguments of `unseal`. The map is emptied when it is full. */
  readonly #signingKeys = new Map<string, SigningKeys>();

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

  seal(secret: string, shopId: string, connectionId: string): SealedSecret {
    const { id, key } = this.#current;
    return { sealed: seal(secret, key, contextOf(shopId, connectionId)), keyId: id };
  }

  /** Undefined if this node does not have the key, or the secret belongs to another connection. */
  unseal(sealed: Buffer, keyId: string, shopId: string, connectionId: string): string | undefined {
    const key = this.#keys.get(keyId);
    return key === undefined ? undefined : unseal(sealed, key, contextOf(shopId, connectionId));
  }

  /**
   * Returns the signing keys of a secret, or undefined as `unseal` does. They are kept, because
   * decrypting the secret and preparing its keys would take a sixth of a delivery's CPU time.
   */
  signingKeys(
    sealed: Buffer,
    keyId: string,
    shopId: string,
    connectionId: string,
  ): SigningKeys | undefined {
    const id = `${shopId} ${connectionId} ${keyId} ${sealed.toString('latin1')}`;
    const kept = this.#signingKeys.get(id);
    if (kept !== undefined) return kept;
    const secret = this.unseal(sealed, keyId, shopId, connectionId);
    if (secret === undefined) return undefined;
    const keys = signingKeysOf(secret);
    if (this.#signingKeys.size >= KEPT_MAX) this.#signingKeys.clear();
    this.#signingKeys.set(id, keys);
    return keys;
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
