import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** Colors of the quarters of an upright image: top left, top right, bottom left, bottom right. */
export const CORNER_COLORS = ['#e01010', '#10c010', '#1010e0', '#e0e010'] as const;

/** An upright PNG with a different color in each quarter. */
export async function makeCorneredPng(width: number = 400, height: number = 300): Promise<Buffer> {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2), channels: 3 as const };
  const quarters = CORNER_COLORS.map((background, index) => ({
    input: { create: { ...half, background } },
    left: index % 2 === 0 ? 0 : Math.floor(width / 2),
    top: index < 2 ? 0 : Math.floor(height / 2),
  }));
  return await sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
    .composite(quarters)
    .png()
    .toBuffer();
}

/**
 * Rotates the pixels as a camera with this orientation stores them (EXIF 2.32, 4.6.4). A viewer
 * that applies the orientation shows the image upright.
 */
async function storeRotated(upright: Buffer, orientation: number): Promise<Buffer> {
  const step = async (turn: (image: Sharp) => Sharp, from: Buffer): Promise<Buffer> =>
    await turn(sharp(from)).png().toBuffer();
  const transposed = async (): Promise<Buffer> =>
    await step((image) => image.flop(), await step((image) => image.rotate(90), upright));
  switch (orientation) {
    case 2:
      return await step((image) => image.flop(), upright);
    case 3:
      return await step((image) => image.rotate(180), upright);
    case 4:
      return await step((image) => image.flip(), upright);
    case 5:
      return await transposed();
    case 6:
      return await step((image) => image.rotate(270), upright);
    case 7:
      return await step((image) => image.rotate(180), await transposed());
    case 8:
      return await step((image) => image.rotate(90), upright);
    default:
      return upright;
  }
}

/**
 * Words in the metadata of a test image, one per kind of metadata. None may remain after
 * processing.
 */
export const METADATA_WORDS = [
  'CAMERA-OF-HANA',
  'THUMBNAIL',
  'XMP-TRACE',
  'IPTC-TRACE',
  'COMMENT-TRACE',
];

/**
 * Returns a JPEG as a phone makes it: EXIF with orientation, location and thumbnail, XMP, IPTC, a
 * comment and a P3 profile.
 */
export async function makeCameraJpeg(upright: Buffer, orientation: number): Promise<Buffer> {
  const stored = await storeRotated(upright, orientation);
  const jpeg = await sharp(stored).withIccProfile('p3').jpeg({ quality: 95 }).toBuffer();
  return Buffer.concat([
    jpeg.subarray(0, 2),
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), makeExif(orientation)])),
    segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>XMP-TRACE</x:xmpmeta>')),
    segment(0xed, Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x0aIPTC-TRACE')),
    segment(0xfe, Buffer.from('COMMENT-TRACE')),
    jpeg.subarray(2),
  ]);
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Encodes one entry of an image file directory: tag, type, count, value or offset (TIFF 6.0). */
function entry(tag: number, type: number, count: number, value: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16LE(tag, 0);
  bytes.writeUInt16LE(type, 2);
  bytes.writeUInt32LE(count, 4);
  bytes.writeUInt32LE(value, 8);
  return bytes;
}

function directory(entries: readonly Buffer[], next: number): Buffer {
  const [count, link] = [Buffer.alloc(2), Buffer.alloc(4)];
  count.writeUInt16LE(entries.length);
  link.writeUInt32LE(next);
  return Buffer.concat([count, ...entries, link]);
}

/** Returns a TIFF block with camera, orientation, location (GPS) and thumbnail. */
export function makeExif(orientation: number): Buffer {
  const [SHORT, ASCII, LONG, RATIONAL] = [3, 2, 4, 5];
  const camera = Buffer.from('CAMERA-OF-HANA\0\0');
  const degrees = Buffer.alloc(24);
  for (const [index, value] of [35, 1, 39, 1, 31, 1].entries()) {
    degrees.writeUInt32LE(value, index * 4);
  }
  const thumbnail = Buffer.from('\u00FF\u00D8THUMBNAIL\u00FF\u00D9', 'latin1');
  const mainAt = 8;
  const placeAt = mainAt + 2 + 3 * 12 + 4;
  const thumbAt = placeAt + 2 + 2 * 12 + 4;
  const cameraAt = thumbAt + 2 + 2 * 12 + 4;
  const degreesAt = cameraAt + camera.length;
  const thumbBytesAt = degreesAt + degrees.length;
  const main = [
    entry(0x010f, ASCII, camera.length, cameraAt),
    entry(0x0112, SHORT, 1, orientation),
    entry(0x8825, LONG, 1, placeAt),
  ];
  const place = [entry(0x0001, ASCII, 2, 'N'.charCodeAt(0)), entry(0x0002, RATIONAL, 3, degreesAt)];
  const thumb = [entry(0x0201, LONG, 1, thumbBytesAt), entry(0x0202, LONG, 1, thumbnail.length)];
  return Buffer.concat([
    Buffer.from('II*\0\x08\0\0\0', 'latin1'),
    directory(main, thumbAt),
    directory(place, 0),
    directory(thumb, 0),
    camera,
    degrees,
    thumbnail,
  ]);
}

/** Encodes a PNG chunk with its checksum (PNG §5.3). */
export function pngChunk(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Returns a PNG whose header claims this size, although it has only a few pixels. */
export function makePngClaimingSize(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1'),
    pngChunk('IHDR', head),
    pngChunk('IDAT', deflateSync(Buffer.alloc(64))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns an image of one color, which has few bytes per megapixel: a decompression bomb. */
export async function makePlainImage(
  width: number,
  height: number,
  format: 'jpeg' | 'png' | 'webp',
): Promise<Buffer> {
  const create = { width, height, channels: 3 as const, background: '#204060' };
  const made = sharp({ create, limitInputPixels: false });
  return await made.toFormat(format, format === 'webp' ? { lossless: true } : {}).toBuffer();
}

/** Returns a large square JPEG that looks like a photo to the encoder: 0.3 bytes a pixel. */
export async function makeNoiseJpeg(pixels: number): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 };
  const create = { width: pixels, height: pixels, channels: 3 as const, background: '#808080' };
  return await sharp({ create: { ...create, noise } })
    .jpeg({ quality: 72 })
    .toBuffer();
}

/** Returns an image of random pixels, which no encoder can compress. */
export async function makeNoisyImage(
  width: number,
  height: number,
  format: 'jpeg' | 'png' | 'webp',
): Promise<Buffer> {
  const raw = { width, height, channels: 3 as const };
  return await sharp(randomBytes(width * height * 3), { raw })
    .toFormat(format)
    .toBuffer();
}

/** Returns the markers of a JPEG before its pixels, in order. */
export function jpegMarkers(bytes: Buffer): number[] {
  const markers: number[] = [];
  for (let at = 2; at < bytes.length;) {
    const marker = bytes[at + 1] ?? 0;
    markers.push(marker);
    if (marker === 0xda) break;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return markers;
}

/** Returns the names of the chunks of a WebP, in order. */
export function webpChunks(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 12; at + 8 <= bytes.length;) {
    names.push(bytes.toString('latin1', at, at + 4));
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return names;
}

/**
 * Returns the colors at the centers of the four quarters of an image, in the order of
 * `CORNER_COLORS`.
 */
export async function cornersOf(bytes: Buffer): Promise<number[][]> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ].map(([x = 0, y = 0]) => {
    const at = (Math.floor(y * height) * width + Math.floor(x * width)) * channels;
    return [...data.subarray(at, at + 3)];
  });
}

/**
 * Returns a progressive JPEG with `scans` scans. The encoder writes ten; the last one is repeated.
 */
export async function makeProgressiveJpeg(
  width: number,
  height: number,
  scans: number,
): Promise<Buffer> {
  const bytes = await sharp({ create: { width, height, channels: 3, background: '#888' } })
    .jpeg({ progressive: true })
    .toBuffer();
  const starts: number[] = [];
  for (let at = bytes.indexOf('ffda', 0, 'hex'); at !== -1;) {
    starts.push(at);
    at = bytes.indexOf('ffda', at + 2, 'hex');
  }
  const end = bytes.lastIndexOf('ffd9', undefined, 'hex');
  const last = bytes.subarray(starts.at(-1), end);
  const repeated = Array.from({ length: scans - starts.length }, () => last);
  return Buffer.concat([bytes.subarray(0, end), ...repeated, bytes.subarray(end)]);
}
