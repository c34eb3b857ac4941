import { loadSharp } from './load-sharp.ts';

/** Renders an SVG as a JPEG, for the photos of the demo shops. */
export async function drawJpeg(svg: string): Promise<Buffer> {
  const sharp = await loadSharp();
  return await sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer();
}
