import type { IncomingMessage } from 'node:http';

/** All bytes of a body; null when there are more than `bytesMax`. */
export async function readBytes(
  message: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const chunks: AsyncIterable<Buffer> = message;
  for await (const piece of chunks) {
    bytes += piece.length;
    if (bytes > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
