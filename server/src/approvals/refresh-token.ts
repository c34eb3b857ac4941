import { createSecretKey, type KeyObject } from 'node:crypto';
import { base62Length, fromBase62, toBase62 } from '../base/base62.ts';
import { deriveKey } from '../base/keys.ts';
import { unsealBytes, SEAL_BYTES, seal } from '../base/seal.ts';

/** The claims inside a refresh token, which only the service can read (decision 0215). */
export interface RefreshTokenClaims {
  readonly shopId: string;
  readonly approvalId: string;
  /** Later than that of the token it replaces, so the expiry orders the tokens of an approval. */
  readonly expiresAt: Date;
}

const PREFIX = 'cpr_';
const UUID_BYTES = 16;
const TIME_BYTES = 6;
const CLAIMS_BYTES = 2 * UUID_BYTES + TIME_BYTES;
const TOKEN_BYTES = CLAIMS_BYTES + SEAL_BYTES;
/** The length of a token. A token has only letters and digits, which forms do not encode. */
const TOKEN_CHARACTERS = PREFIX.length + base62Length(TOKEN_BYTES);
const CONTEXT = Buffer.from('cardport refresh token');

/**
 * A token contains its claims, sealed (AES-256-GCM, random 96-bit nonce) with a deployment key. The
 * seal proves only that the service issued it; the database decides whether it is valid.
 */
export class RefreshTokens {
  readonly #key: KeyObject;
  readonly #previous: KeyObject | null;

  /** `previousKey` is `SECRET_KEY_PREVIOUS`. Tokens sealed with that key can still be read. */
  constructor(secretKey: string, previousKey: string | null = null) {
    this.#key = keyOf(secretKey);
    this.#previous = previousKey === null ? null : keyOf(previousKey);
  }

  issue({ shopId, approvalId, expiresAt }: RefreshTokenClaims): string {
    const bytes = Buffer.alloc(CLAIMS_BYTES);
    bytes.write(shopId.replaceAll('-', ''), 0, 'hex');
    bytes.write(approvalId.replaceAll('-', ''), UUID_BYTES, 'hex');
    bytes.writeUIntBE(expiresAt.getTime(), 2 * UUID_BYTES, TIME_BYTES);
    return PREFIX + toBase62(seal(bytes, this.#key, CONTEXT));
  }

  read(token: string): RefreshTokenClaims | undefined {
    if (token.length !== TOKEN_CHARACTERS || !token.startsWith(PREFIX)) return undefined;
    const sealed = fromBase62(token.slice(PREFIX.length), TOKEN_BYTES);
    if (sealed === undefined) return undefined;
    const bytes =
      unsealBytes(sealed, this.#key, CONTEXT) ??
      (this.#previous === null ? undefined : unsealBytes(sealed, this.#previous, CONTEXT));
    if (bytes === undefined) return undefined;
    return {
      shopId: readUuid(bytes, 0),
      approvalId: readUuid(bytes, UUID_BYTES),
      expiresAt: new Date(bytes.readUIntBE(2 * UUID_BYTES, TIME_BYTES)),
    };
  }
}

function keyOf(secretKey: string): KeyObject {
  return createSecretKey(deriveKey(secretKey, 'refresh token'));
}

function readUuid(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + UUID_BYTES);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
