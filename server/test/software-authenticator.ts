import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Changes to a response. Tests check that the changed response is refused. */
export interface ResponseChanges {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  /** Added to the client data. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** False when the user was not verified by a fingerprint or PIN. */
  readonly isVerified?: boolean;
  /** Replaces the next counter value. */
  readonly signCount?: number;
  readonly userHandle?: string;
  /** Replaces the credential's key. */
  readonly key?: KeyObject;
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id?: string };
  readonly user?: { readonly id: string };
}

/**
 * Flags of Web Authentication §6.1: present, verified, backup eligible, backed up, attested
 * credential data.
 */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const BACKED_UP = 0x18;
const NEW_CREDENTIAL = 0x40;

/**
 * An authenticator with one ES256 credential, and the browser that uses it. Creates the values that
 * the console's script puts into its forms.
 */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32).toString('base64url');
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  readonly #isSynced: boolean;
  #signCount = 0;
  #userHandle = '';

  /** With `isSynced`, the counter stays 0, as for passkeys on several devices. */
  constructor(origin: string, { isSynced = false }: { readonly isSynced?: boolean } = {}) {
    this.#origin = origin;
    this.#isSynced = isSynced;
  }

  /** Acts like `navigator.credentials.create`. Returns the value of the form's `credential`. */
  create(options: RequestOptions, changes: ResponseChanges = {}): string {
    this.#userHandle = options.user?.id ?? '';
    const authData = Buffer.concat([
      this.#authenticatorData(options, changes, NEW_CREDENTIAL),
      Buffer.alloc(16),
      uint16(Buffer.from(this.credentialId, 'base64url').length),
      Buffer.from(this.credentialId, 'base64url'),
      this.#coseKey(),
    ]);
    const attestationObject = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(authData)],
    ]).toString('base64url');
    const clientDataJSON = this.#clientData('webauthn.create', options, changes);
    return this.#answer({ clientDataJSON, attestationObject, transports: ['internal'] });
  }

  /** Acts like `navigator.credentials.get`. Returns the value of the form's `credential`. */
  get(options: RequestOptions, changes: ResponseChanges = {}): string {
    if (!this.#isSynced) this.#signCount++;
    const data = this.#authenticatorData(options, changes, 0);
    const clientDataJSON = this.#clientData('webauthn.get', options, changes);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const key = changes.key ?? this.#keys.privateKey;
    const signature = sign('sha256', Buffer.concat([data, hash]), key).toString('base64url');
    const userHandle = changes.userHandle ?? this.#userHandle;
    const authenticatorData = data.toString('base64url');
    return this.#answer({ clientDataJSON, authenticatorData, signature, userHandle });
  }

  #answer(response: object): string {
    return JSON.stringify({ id: this.credentialId, type: 'public-key', response });
  }

  #clientData(type: string, { challenge }: RequestOptions, changes: ResponseChanges): string {
    const data = {
      type,
      challenge: changes.challenge ?? challenge,
      origin: changes.origin ?? this.#origin,
      ...changes.clientData,
    };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }

  #authenticatorData(options: RequestOptions, changes: ResponseChanges, flags: number): Buffer {
    const rpId = changes.rpId ?? options.rpId ?? options.rp?.id ?? '';
    const verified = changes.isVerified === false ? 0 : VERIFIED;
    const synced = this.#isSynced ? BACKED_UP : 0;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(changes.signCount ?? this.#signCount);
    const bits = Buffer.from([PRESENT | verified | synced | flags]);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), bits, count]);
  }

  /** Encodes the public key: EC2, ES256, P-256 and the point (RFC 9053 §7.1). */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return cborMap([
      [cborNumber(1), cborNumber(2)],
      [cborNumber(3), cborNumber(-7)],
      [cborNumber(-1), cborNumber(1)],
      [cborNumber(-2), cborBytes(Buffer.from(x, 'base64url'))],
      [cborNumber(-3), cborBytes(Buffer.from(y, 'base64url'))],
    ]);
  }
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** Encodes the major type in the three highest bits, then the argument (RFC 8949 §3). */
function cborHead(major: number, argument: number): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.from([type | argument]);
  return argument < 256
    ? Buffer.from([type | 24, argument])
    : Buffer.concat([Buffer.from([type | 25]), uint16(argument)]);
}

function cborNumber(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)]);
}

function cborMap(pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()]);
}
