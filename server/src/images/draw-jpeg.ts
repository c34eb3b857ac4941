import { loadSharp } from './load-sharp.ts';

/** The demo shops draw their photos; the JPEG is like that of a phone. */
export async function drawJpeg(svg: string): Promise<Buffer> {
  const sharp = await loadSharp();
  return await sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer();
}
