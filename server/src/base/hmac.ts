import { hash } from 'node:crypto';

/** A key of HMAC-SHA256 (RFC 2104 §2). */
export interface HmacKey {
  /** The key XORed with the inner constant. */
  readonly inner: Buffer;
  /** The key XORed with the outer constant; then space for the inner hash. */
  readonly outer: Buffer;
}

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

// `hmac` is synchronous, so all calls build their message in the same buffer.
let scratch = Buffer.alloc(BLOCK_BYTES + 512);
let message = scratch;

export function makeHmacKey(key: Buffer): HmacKey {
  const inner = Buffer.alloc(BLOCK_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, 0x5c);
  const bytes = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key;
  for (const [at, byte] of bytes.entries()) {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  return { inner, outer };
}

/**
 * Returns the HMAC-SHA256 of an ASCII text and the bytes that follow it. Two calls of `hash` take
 * 0.6 times as long as `createHmac`, and leave no native object to the garbage collector.
 */
export function hmac(
  { inner, outer }: HmacKey,
  text: string,
  bytes: Uint8Array,
  encoding: 'binary' | 'hex' | 'base64',
): string {
  const textEnd = BLOCK_BYTES + text.length;
  const end = textEnd + bytes.length;
  if (end > scratch.length) scratch = Buffer.alloc(end * 2);
  if (message.length !== end || message.buffer !== scratch.buffer) {
    message = scratch.subarray(0, end);
  }
  inner.copy(scratch);
  scratch.write(text, BLOCK_BYTES, 'latin1');
  scratch.set(bytes, textEnd);
  outer.write(hash('sha256', message, 'binary'), BLOCK_BYTES, HASH_BYTES, 'latin1');
  return hash('sha256', outer, encoding);
}
