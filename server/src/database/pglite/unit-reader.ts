import { asBuffer, FRAME, isStartup } from './frames.ts';

/**
 * Longest message of a client. The largest that the service sends is a batch of the Shop API (16 MiB of body); a
 * longer one would only fill the memory.
 */
const MESSAGE_BYTES_MAX = 128 * 1024 * 1024;

/** What a client's bytes amount to. */
export type Heard =
  | { readonly kind: 'startup' }
  /** A unit: bytes that the session answers with exactly one ReadyForQuery. */
  | { readonly kind: 'unit'; readonly bytes: Buffer }
  | { readonly kind: 'leave' }
  | { readonly kind: 'refuse'; readonly reason: string };

/** Cuts one client's bytes into units that end where PostgreSQL answers ReadyForQuery. */
export class UnitReader {
  readonly #prefix: string;
  /** The client's statement names → theirs in the shared session (short, so that no name is cut at 63 bytes). */
  readonly #names = new Map<string, string>();
  #pending: Buffer = Buffer.alloc(0);
  #frames: Buffer[] = [];
  #isStarted = false;

  constructor(clientId: number) {
    this.#prefix = `c${clientId}_`;
  }

  /** The names under which this client's statements may stand in the session. */
  get preparedNames(): readonly string[] {
    return [...this.#names.values()];
  }

  /** Takes bytes as they come, cut anywhere. */
  read(bytes: Uint8Array): Heard[] {
    const buffer =
      this.#pending.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#pending, bytes]);
    const heard: Heard[] = [];
    let at = 0;
    while (buffer.length - at >= 5) {
      // The first message of a connection has no type byte.
      const length = this.#isStarted ? 1 + buffer.readInt32BE(at + 1) : buffer.readInt32BE(at);
      if (length < 5 || length > MESSAGE_BYTES_MAX) {
        heard.push({ kind: 'refuse', reason: 'a message of a wrong length' });
        break;
      }
      if (buffer.length - at < length) break;
      const next = this.#readFrame(buffer.subarray(at, at + length));
      if (next !== null) heard.push(next);
      at += length;
    }
    this.#pending = at === buffer.length ? Buffer.alloc(0) : Buffer.from(buffer.subarray(at));
    return heard;
  }

  #readFrame(frame: Buffer): Heard | null {
    if (!this.#isStarted) {
      this.#isStarted = true;
      if (isStartup(frame)) return { kind: 'startup' };
      return { kind: 'refuse', reason: 'no TLS and no cancelling on the embedded engine' };
    }
    switch (frame[0]) {
      case FRAME.terminate:
        return { kind: 'leave' };
      case FRAME.flush:
      case FRAME.copyData:
      case FRAME.copyDone:
      case FRAME.copyFail:
        // Both need an answer before ReadyForQuery, and the session has none to give.
        return { kind: 'refuse', reason: 'no cursors and no COPY on the embedded engine' };
      case FRAME.query:
      case FRAME.sync: {
        const frames = [...this.#frames, frame];
        this.#frames = [];
        return { kind: 'unit', bytes: frames.length === 1 ? frame : Buffer.concat(frames) };
      }
      default:
        this.#frames.push(this.#rename(frame));
        return null;
    }
  }

  /** Puts the session's name of a statement in place of the client's: all clients share one session. */
  #rename(frame: Buffer): Buffer {
    const at = nameOffset(frame);
    if (at === null || frame[at] === 0) return frame;
    const end = frame.indexOf(0, at);
    const name = frame.toString('utf8', at, end);
    let renamed = this.#names.get(name);
    if (renamed === undefined) {
      renamed = `${this.#prefix}${this.#names.size}`;
      this.#names.set(name, renamed);
    }
    const out = Buffer.concat([frame.subarray(0, at), Buffer.from(renamed), frame.subarray(end)]);
    out.writeInt32BE(out.length - 1, 1);
    return out;
  }
}

/** Where a statement's name begins in a message, or null when the message has none. */
function nameOffset(frame: Buffer): number | null {
  const isOfStatement = frame[5] === 0x53;
  switch (frame[0]) {
    case FRAME.parse:
      return 5;
    case FRAME.bind:
      // The portal's name comes first.
      return frame.indexOf(0, 5) + 1;
    case FRAME.describe:
    case FRAME.close:
      return isOfStatement ? 6 : null;
    default:
      return null;
  }
}
