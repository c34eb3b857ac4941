const IEND = 0x49_45_4e_44;
/** The types of text chunks: tEXt, zTXt and iTXt. */
const TEXTS: ReadonlySet<number> = new Set([0x74_45_58_74, 0x7a_54_58_74, 0x69_54_58_74]);

/**
 * Removes the text chunks of a PNG that `readImageHeader` has accepted (PNG §11.3.3). Re-encoding
 * would drop them anyway, but a decoder first inflates each of them, to as much as 8 MB.
 */
export function stripTextChunks(png: Buffer): Buffer {
  const kept: Buffer[] = [];
  let keptFrom = 0;
  for (let at = 8; at + 12 <= png.length;) {
    const type = png.readUInt32BE(at + 4);
    if (type === IEND) break;
    const next = at + 12 + png.readUInt32BE(at);
    if (TEXTS.has(type)) {
      kept.push(png.subarray(keptFrom, at));
      keptFrom = next;
    }
    at = next;
  }
  return keptFrom === 0 ? png : Buffer.concat([...kept, png.subarray(keptFrom)]);
}
