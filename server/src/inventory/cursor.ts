import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** A position in a shop's feed: everything up to `seq` was read. `epoch` begins anew after a restored backup. */
export interface FeedPosition {
  readonly epoch: number;
  readonly seq: number;
}

/** A key that signs cursors, with the id by which a cursor names it. */
export interface CursorKey {
  /** 4 bytes in hex. */
  readonly id: string;
  /** A secret key that was made once: bytes would be made into one at every HMAC, which costs more than the HMAC itself. */
  readonly key: KeyObject;
}

const VERSION = 1;
const KEY_ID_BYTES = 4;
/** 128 bits: a made-up cursor is as hard to guess as a key. */
const TAG_BYTES = 16;
const PAYLOAD_BYTES = 1 + KEY_ID_BYTES + 8 + 8;
const CURSOR_PATTERN = /^[A-Za-z0-9_-]{50}$/;

/**
 * Writes a cursor: base64url of version, key id, epoch, seq and a truncated HMAC-SHA256 that also covers the shop, so
 * that it is of no use in another shop. 50 characters; opaque to its reader (decision 0004).
 */
export function encodeCursor(key: CursorKey, shopId: string, position: FeedPosition): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUInt8(VERSION, 0);
  payload.write(key.id, 1, KEY_ID_BYTES, 'hex');
  payload.writeBigUInt64BE(BigInt(position.epoch), 1 + KEY_ID_BYTES);
  payload.writeBigUInt64BE(BigInt(position.seq), 1 + KEY_ID_BYTES + 8);
  return Buffer.concat([payload, tagOf(key, shopId, payload)]).toString('base64url');
}

/** The id of the key that signed a cursor, or null when the text has not the form of one. */
export function cursorKeyId(text: string): string | null {
  const bytes = cursorBytes(text);
  return bytes === null ? null : bytes.toString('hex', 1, 1 + KEY_ID_BYTES);
}

/** Reads a cursor back; null when it was altered, made up, or belongs to another shop. */
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
  // The last character carries bits that no byte holds: only one spelling is a cursor.
  if (bytes.length !== PAYLOAD_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) {
    return null;
  }
  return bytes[0] === VERSION ? bytes : null;
}

function tagOf(key: CursorKey, shopId: string, payload: Buffer): Buffer {
  const hmac = createHmac('sha256', key.key);
  return hmac.update(shopId).update(payload).digest().subarray(0, TAG_BYTES);
}
