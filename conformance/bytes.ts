/** Reads a complete stream. Throws when the stream has more than `bytesMax` bytes. */
export async function readBytes(
  source: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    length += chunk.length;
    if (length > bytesMax) throw new Error(`more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
