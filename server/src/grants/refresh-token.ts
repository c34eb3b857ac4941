import { createSecretKey, type KeyObject } from 'node:crypto';
import { base62Digits, fromBase62, toBase62 } from '../base/base62.ts';
import { deriveKey } from '../base/keys.ts';
import { openBytes, SEAL_BYTES, seal } from '../base/seal.ts';

/** What a refresh token says of itself, for the service alone (decision 0215). */
export interface RefreshTokenClaims {
  readonly shopId: string;
  readonly approvalId: string;
  /** Later than that of the token that it replaces: the order in which an approval's tokens were made. */
  readonly expiresAt: Date;
}

const PREFIX = 'cpr_';
const UUID_BYTES = 16;
/** Milliseconds since 1970. */
const TIME_BYTES = 6;
const CLAIMS_BYTES = 2 * UUID_BYTES + TIME_BYTES;
const TOKEN_BYTES = CLAIMS_BYTES + SEAL_BYTES;
/** How long every refresh token is: letters and digits, which `Authorization` and forms carry as they are. */
const TOKEN_CHARACTERS = PREFIX.length + base62Digits(TOKEN_BYTES);
const CONTEXT = Buffer.from('cardport refresh token');

/**
 * Makes refresh tokens and reads them back. A token is its claims, sealed (AES-256-GCM, random 96-bit nonce) under a key
 * of the deployment: nobody else can make one or read it. Whether it is good is still for the database to say; that it is
 * ours can be told without it.
 */
export class RefreshTokens {
  readonly #key: KeyObject;
  readonly #previous: KeyObject | null;

  /** `previousKey`: `SECRET_KEY_PREVIOUS`; its tokens are read too. */
  constructor(secretKey: string, previousKey: string | null = null) {
    this.#key = keyOf(secretKey);
    this.#previous = previousKey === null ? null : keyOf(previousKey);
  }

  make({ shopId, approvalId, expiresAt }: RefreshTokenClaims): string {
    const bytes = Buffer.alloc(CLAIMS_BYTES);
    bytes.write(shopId.replaceAll('-', ''), 0, 'hex');
    bytes.write(approvalId.replaceAll('-', ''), UUID_BYTES, 'hex');
    bytes.writeUIntBE(expiresAt.getTime(), 2 * UUID_BYTES, TIME_BYTES);
    return PREFIX + toBase62(seal(bytes, this.#key, CONTEXT));
  }

  /** What a token says, or undefined when it is none of ours. */
  read(token: string): RefreshTokenClaims | undefined {
    if (token.length !== TOKEN_CHARACTERS || !token.startsWith(PREFIX)) return undefined;
    const sealed = fromBase62(token.slice(PREFIX.length), TOKEN_BYTES);
    if (sealed === undefined) return undefined;
    const bytes =
      openBytes(sealed, this.#key, CONTEXT) ??
      (this.#previous === null ? undefined : openBytes(sealed, this.#previous, CONTEXT));
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
