import { timingSafeEqual } from 'node:crypto';
import { hmac, type HmacKey, makeHmacKey } from '../base/hmac.ts';

/** All changes of a shop's feed up to `seq` were read. A restore starts a new `epoch`. */
export interface FeedPosition {
  readonly epoch: number;
  readonly seq: number;
}

export interface CursorKey {
  /** The id of the key: 4 bytes in hex. */
  readonly id: string;
  readonly hmacKey: HmacKey;
}

const VERSION = 1;
const KEY_ID_BYTES = 4;
/** 128 bits, so that a valid tag cannot be guessed. */
const TAG_BYTES = 16;
const PAYLOAD_BYTES = 1 + KEY_ID_BYTES + 8 + 8;
const SHOP_CHARACTERS = 36;
const UINT32 = 2 ** 32;
/** The last character has four unused bits; only the encoding in which they are 0 is accepted. */
const CURSOR_PATTERN = /^[A-Za-z0-9_-]{49}[AQgw]$/;

// Every function here is synchronous, so all cursors are built in one buffer and read in another:
// new buffers for each poll would cost more than the signature.
const made = Buffer.alloc(PAYLOAD_BYTES + TAG_BYTES);
const given = Buffer.alloc(PAYLOAD_BYTES + TAG_BYTES);
const madePayload = made.subarray(0, PAYLOAD_BYTES);
const madeTag = made.subarray(PAYLOAD_BYTES);
const givenTag = given.subarray(PAYLOAD_BYTES);

export function makeCursorKey(id: string, key: Buffer): CursorKey {
  return { id, hmacKey: makeHmacKey(key) };
}

/**
 * Encodes a cursor: base64url of version, key id, epoch, seq and a truncated HMAC-SHA256 that also
 * covers the shop id. 50 characters, opaque to clients (decision 0004).
 */
export function encodeCursor(key: CursorKey, shopId: string, position: FeedPosition): string {
  made[0] = VERSION;
  made.write(key.id, 1, KEY_ID_BYTES, 'hex');
  writeUint64(position.epoch, 1 + KEY_ID_BYTES);
  writeUint64(position.seq, 1 + KEY_ID_BYTES + 8);
  sign(key, shopId);
  return made.toString('base64url');
}

export function cursorKeyId(text: string): string | null {
  return read(text) ? given.toString('hex', 1, 1 + KEY_ID_BYTES) : null;
}

/** Decodes a cursor. Returns null if it was altered or forged, or belongs to another shop. */
export function decodeCursor(key: CursorKey, shopId: string, text: string): FeedPosition | null {
  if (!read(text)) return null;
  given.copy(made, 0, 0, PAYLOAD_BYTES);
  sign(key, shopId);
  if (!timingSafeEqual(givenTag, madeTag)) return null;
  return { epoch: readUint64(1 + KEY_ID_BYTES), seq: readUint64(1 + KEY_ID_BYTES + 8) };
}

/** Reads a cursor into `given`. Returns false if the text is not a cursor of this version. */
function read(text: string): boolean {
  if (!CURSOR_PATTERN.test(text)) return false;
  given.write(text, 'base64url');
  return given[0] === VERSION;
}

/** Two halves, because a `BigInt` would be an object for the garbage collector. */
function writeUint64(value: number, at: number): void {
  made.writeUInt32BE(Math.floor(value / UINT32), at);
  made.writeUInt32BE(value % UINT32, at + 4);
}

function readUint64(at: number): number {
  return given.readUInt32BE(at) * UINT32 + given.readUInt32BE(at + 4);
}

/** Writes the truncated HMAC-SHA256 of the shop id and the payload into `made`. */
function sign({ hmacKey }: CursorKey, shopId: string): void {
  if (shopId.length !== SHOP_CHARACTERS) throw new Error('the id of a shop must be a UUID');
  madeTag.write(hmac(hmacKey, shopId, madePayload, 'binary'), 0, TAG_BYTES, 'latin1');
}
