import { hash, timingSafeEqual } from 'node:crypto';

/**
 * A position in a shop's feed: all changes up to `seq` were read. A restore starts a new `epoch`.
 */
export interface FeedPosition {
  readonly epoch: number;
  readonly seq: number;
}

export interface CursorKey {
  /** The id of the key: 4 bytes in hex. */
  readonly id: string;
  /** The key padded for HMAC-SHA256, computed once (RFC 2104 §2, §4). */
  readonly pads: HmacPads;
}

/** A key XORed with the inner and the outer constant of RFC 2104. */
export interface HmacPads {
  /** Ends with space for the signed data, so that one call hashes both the key and the data. */
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const VERSION = 1;
const KEY_ID_BYTES = 4;
/** 128 bits, so that a valid tag cannot be guessed. */
const TAG_BYTES = 16;
const PAYLOAD_BYTES = 1 + KEY_ID_BYTES + 8 + 8;
const SHOP_BYTES = 36;
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const CURSOR_PATTERN = /^[A-Za-z0-9_-]{50}$/;

export function makeCursorKey(id: string, key: Buffer): CursorKey {
  if (key.length > BLOCK_BYTES) throw new Error('a cursor key must have at most 64 bytes');
  const inner = Buffer.alloc(BLOCK_BYTES + SHOP_BYTES + PAYLOAD_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, 0x5c);
  for (const [at, byte] of key.entries()) {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  return { id, pads: { inner, outer } };
}

/**
 * Encodes a cursor: base64url of version, key id, epoch, seq and a truncated HMAC-SHA256 that also
 * covers the shop id. 50 characters, opaque to clients (decision 0004).
 */
export function encodeCursor(key: CursorKey, shopId: string, position: FeedPosition): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUInt8(VERSION, 0);
  payload.write(key.id, 1, KEY_ID_BYTES, 'hex');
  payload.writeBigUInt64BE(BigInt(position.epoch), 1 + KEY_ID_BYTES);
  payload.writeBigUInt64BE(BigInt(position.seq), 1 + KEY_ID_BYTES + 8);
  return Buffer.concat([payload, tagOf(key, shopId, payload)]).toString('base64url');
}

/** Returns the id of the key that signed a cursor, or null if the text is not a cursor. */
export function cursorKeyId(text: string): string | null {
  const bytes = cursorBytes(text);
  return bytes === null ? null : bytes.toString('hex', 1, 1 + KEY_ID_BYTES);
}

/** Decodes a cursor. Returns null if it was altered or forged, or belongs to another shop. */
export function decodeCursor(key: CursorKey, shopId: string, text: string): FeedPosition | null {
  const bytes = cursorBytes(text);
  if (bytes === null) return null;
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  if (!timingSafeEqual(bytes.subarray(PAYLOAD_BYTES), tagOf(key, shopId, payload))) return null;
  return {
    epoch: Number(payload.readBigUInt64BE(1 + KEY_ID_BYTES)),
    seq: Number(payload.readBigUInt64BE(1 + KEY_ID_BYTES + 8)),
  };
}

function cursorBytes(text: string): Buffer | null {
  if (!CURSOR_PATTERN.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // The last character has unused bits; accept only the encoding in which they are 0.
  if (bytes.length !== PAYLOAD_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) {
    return null;
  }
  return bytes[0] === VERSION ? bytes : null;
}

/**
 * Returns the HMAC-SHA256 of the shop id and the payload. Two calls of `hash` take 1.6 µs, whereas
 * `createHmac` takes 2.5 µs plus garbage collection of the object that each call creates.
 */
function tagOf({ pads }: CursorKey, shopId: string, payload: Buffer): Buffer {
  const { inner, outer } = pads;
  // From here on the function must be synchronous, because all calls share the buffers.
  if (inner.write(shopId, BLOCK_BYTES, SHOP_BYTES, 'latin1') !== SHOP_BYTES) {
    throw new Error('the id of a shop must be a UUID');
  }
  payload.copy(inner, BLOCK_BYTES + SHOP_BYTES);
  outer.write(hash('sha256', inner, 'binary'), BLOCK_BYTES, HASH_BYTES, 'latin1');
  return hash('sha256', outer, 'buffer').subarray(0, TAG_BYTES);
}
