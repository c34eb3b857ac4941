/** The messages of PostgreSQL's wire protocol (version 3) that the shared session must know by their first byte. */
export const FRAME = {
  query: 0x51,
  parse: 0x50,
  bind: 0x42,
  describe: 0x44,
  close: 0x43,
  flush: 0x48,
  sync: 0x53,
  terminate: 0x58,
  copyData: 0x64,
  copyDone: 0x63,
  copyFail: 0x66,
  ready: 0x5a,
  notification: 0x41,
} as const;

/** First byte, then a length that counts itself. */
const HEADER_BYTES = 5;
/** A length and a protocol, without a type byte. */
const STARTUP_BYTES_MIN = 8;
const STATUS_IDLE = 0x49;
const PROTOCOL_3 = 196_608;

/** What one complete answer of the session says. */
export interface Answer {
  /** The answer without notifications. */
  readonly bytes: Buffer;
  /** Notifications that came along; they go to every client. */
  readonly notifications: Buffer | null;
  /** False while the session is inside a transaction. */
  readonly isIdle: boolean;
}

/**
 * Reads the answer to one unit.
 *
 * @throws Error when it does not end with ReadyForQuery: the session is in no known state then.
 */
export function readAnswer(bytes: Uint8Array): Answer {
  const buffer = asBuffer(bytes);
  const kept: Buffer[] = [];
  const notifications: Buffer[] = [];
  let keptFrom = 0;
  let status: number | undefined;
  for (let at = 0; at < buffer.length;) {
    const end = at + 1 + buffer.readInt32BE(at + 1);
    status = buffer[at] === FRAME.ready ? buffer[at + HEADER_BYTES] : undefined;
    if (buffer[at] === FRAME.notification) {
      notifications.push(buffer.subarray(at, end));
      kept.push(buffer.subarray(keptFrom, at));
      keptFrom = end;
    }
    at = end;
  }
  if (status === undefined) throw new Error('an answer of the session without its end');
  const isIdle = status === STATUS_IDLE;
  if (notifications.length === 0) return { bytes: buffer, notifications: null, isIdle };
  kept.push(buffer.subarray(keptFrom));
  return { bytes: Buffer.concat(kept), notifications: Buffer.concat(notifications), isIdle };
}

/** A simple query that the worker itself sends. */
export function queryFrame(sql: string): Buffer {
  return frame(FRAME.query, Buffer.from(`${sql}\0`));
}

/** A unit that forgets prepared statements; one that does not exist is no error, inside a transaction neither. */
export function closeStatementsUnit(names: readonly string[]): Buffer {
  const closes = names.map((name) => frame(FRAME.close, Buffer.from(`S${name}\0`)));
  return Buffer.concat([...closes, frame(FRAME.sync, Buffer.alloc(0))]);
}

/** The first message of a client. */
export function startupFrame(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0client_encoding\0UTF8\0\0`);
  const head = Buffer.alloc(STARTUP_BYTES_MIN);
  head.writeInt32BE(head.length + body.length, 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, body]);
}

/** True when the bytes are a client's first message (and not a request for TLS or a cancellation). */
export function isStartup(bytes: Buffer): boolean {
  return bytes.length >= STARTUP_BYTES_MIN && bytes.readInt32BE(4) === PROTOCOL_3;
}

/** An ErrorResponse with a SQLSTATE, as PostgreSQL would send it. */
export function errorFrame(severity: 'ERROR' | 'FATAL', code: string, message: string): Buffer {
  const fields = `S${severity}\0V${severity}\0C${code}\0M${message}\0\0`;
  return frame(0x45, Buffer.from(fields));
}

/** ReadyForQuery outside a transaction. */
export function readyFrame(): Buffer {
  return frame(FRAME.ready, Buffer.from([STATUS_IDLE]));
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function frame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head[0] = type;
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
