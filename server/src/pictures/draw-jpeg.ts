import { loadDecoder } from './decoder.ts';

/** An SVG as a phone's photo of it would be: a JPEG. For the invented shops, which draw their photos. */
export async function drawJpeg(svg: string): Promise<Buffer> {
  const sharp = await loadDecoder();
  return await sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer();
}
