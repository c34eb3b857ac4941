/**
 * What the command line and a running service say to each other over the socket in the embedded folder: frames of one
 * letter, a length of four bytes (big-endian) and so many bytes.
 */
export type FrameKind =
  /** To the service: the words typed, as JSON. The first frame, once. */
  | 'a'
  /** To the service: bytes of the input. */
  | 'i'
  /** To the service: the input is at its end. */
  | 'e'
  /** Within the input of a command that takes several files: the next one begins. Its bytes follow as `i`. */
  | 'f'
  /** To the person: for standard output. */
  | 'o'
  /** To the person: for standard error. */
  | 'r'
  /** To the person: the exit code as decimal digits. The last frame. */
  | 'x';

export interface Frame {
  readonly kind: string;
  readonly body: Buffer;
}

/** The letter and the length. */
export const HEADER_BYTES = 5;
/** A frame holds a chunk of a file (64 KiB as Node reads them) or a command's answer; more is no frame of ours. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** One frame as bytes. */
export function encodeFrame(kind: FrameKind, body: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([encodeHeader(kind, bytes.length), bytes]);
}

/** The beginning of a frame whose body follows. */
export function encodeHeader(kind: FrameKind, bodyBytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(kind, 'latin1');
  header.writeUInt32BE(bodyBytes, 1);
  return header;
}

/** Cuts a stream of bytes into frames; holds one frame at a time. Throws when the bytes are no frames. */
export async function* readFrames(bytes: AsyncIterable<Buffer>): AsyncGenerator<Frame, void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let neededBytes = HEADER_BYTES;
  for await (const chunk of bytes) {
    held.push(chunk);
    heldBytes += chunk.length;
    while (heldBytes >= neededBytes) {
      const all = Buffer.concat(held);
      const length = all.readUInt32BE(1);
      if (length > BODY_BYTES_MAX) throw new Error('a frame is longer than 16 MiB');
      neededBytes = HEADER_BYTES + length;
      if (heldBytes < neededBytes) {
        held = [all];
        break;
      }
      yield { kind: all.toString('latin1', 0, 1), body: all.subarray(HEADER_BYTES, neededBytes) };
      held = [all.subarray(neededBytes)];
      heldBytes -= neededBytes;
      neededBytes = HEADER_BYTES;
    }
  }
}
