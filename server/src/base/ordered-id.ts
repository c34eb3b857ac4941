import { randomBytes } from 'node:crypto';

/** Orders the ids that a process creates within one millisecond. */
let counter = 0;
const COUNTER_LIMIT = 2 ** 32;

/**
 * Returns a version 7 UUID (RFC 9562 §5.7) with a 32-bit counter (§6.2, method 1) and 42 random
 * bits. A later instant, or a process's later call in the same millisecond, gives a greater id.
 */
export function newOrderedId(at: Date): string {
  counter = (counter + 1) % COUNTER_LIMIT;
  const bytes = firstBytes(at);
  const random = randomBytes(6);
  // The layout is: version, 12 counter bits; variant, 20 counter bits, 42 random bits.
  bytes.writeUInt16BE(0x70_00 + Math.floor(counter / 2 ** 20), 6);
  bytes.writeUInt32BE(
    2 ** 31 + (counter % 2 ** 20) * 2 ** 10 + (random.readUInt16BE(4) % 2 ** 10),
    8,
  );
  random.copy(bytes, 12, 0, 4);
  return format(bytes);
}

/** Returns an id that is lower than every id from `newOrderedId` at or after the instant. */
export function leastOrderedId(at: Date): string {
  return format(firstBytes(at));
}

function firstBytes(at: Date): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  return bytes;
}

function format(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
