import { createHash } from 'node:crypto';
import { loadSharp, type Sharp } from './load-sharp.ts';
import { readImageHeader } from './image-header.ts';
import { SIGNATURE_BYTES, type ImageFormat, detectFormat } from './image-format.ts';

/** The limits of uploaded images (decision 0080). A phone's 50-megapixel JPEG has 15 MB. */
export const IMAGE_BYTES_MAX = 20_000_000;
export const IMAGE_PIXELS_MAX = 50_000_000;
/** The limit of JPEG. Without it, images of millions of one-pixel rows take 20 s to decode. */
const IMAGE_SIDE_MAX = 65_535;
/** The scans of a JPEG are passes over all pixels. Encoders write 1 to 12. */
const SCANS_MAX = 64;
/** Pixels times scans. 20 scans of 50 megapixels decode in a third of a second. */
const SCANNED_PIXELS_MAX = 1_000_000_000;
/** The longer edge of each size: large for a full screen, small for lists. */
const LARGE_EDGE_PIXELS = 1_600;
const SMALL_EDGE_PIXELS = 360;
/** At quality 80 the fine print of a card is blurred; at 90 files are 50 % larger. */
const QUALITY = 85;

export interface Rendition {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** An image in both sizes: upright, sRGB, 8 bits, without metadata. */
export interface EncodedImage {
  readonly contentType: 'image/jpeg' | 'image/webp';
  /** The strong ETag of the large size, including the quotes (RFC 9110 §8.8.3). */
  readonly etag: string;
  readonly large: Rendition;
  readonly small: Rendition;
}

/** The reason why an image is refused. `detail` is a sentence for the developer. */
export interface ImageRefusal {
  readonly kind: 'unsupported' | 'mislabeled' | 'unreadable';
  readonly detail: string;
}

export type ReEncodeResult =
  | { readonly kind: 'picture'; readonly picture: EncodedImage }
  | ImageRefusal;

/**
 * Encodes an opaque image as JPEG, any other as WebP. Call this in a process that may be killed
 * (`DecoderPool`), because an image can take minutes despite all limits.
 */
export async function reEncode(
  bytes: Buffer,
  declared: ImageFormat | null,
): Promise<ReEncodeResult> {
  const inspected = inspectImage(bytes, declared);
  if (typeof inspected !== 'string') return inspected;
  const sharp = await loadSharp();
  try {
    const decoded = inspected === 'png' ? stripTextChunks(bytes) : bytes;
    return { kind: 'picture', picture: await make(sharp, decoded) };
  } catch (error) {
    return toRefusal(error);
  }
}

/** Checks an image without decoding it. Returns the format, or why the image is refused. */
export function inspectImage(
  bytes: Buffer,
  declared: ImageFormat | null,
): ImageFormat | ImageRefusal {
  const inspected = checkFormat(bytes, declared);
  if (typeof inspected !== 'string') return inspected;
  return checkHead(inspected, bytes) ?? inspected;
}

function checkFormat(bytes: Buffer, declared: ImageFormat | null): ImageFormat | ImageRefusal {
  if (bytes.length === 0) return unreadableImage('The body is empty. Send the bytes of the image.');
  const detected = detectFormat(bytes.subarray(0, SIGNATURE_BYTES));
  if (detected.kind !== 'other' && detected.kind !== 'unknown') {
    if (declared === null || declared === detected.kind) return detected.kind;
    const detail = `The image is ${nameOf(detected.kind)}, but Content-Type says image/${declared}.`;
    return { kind: 'mislabeled', detail };
  }
  const name = detected.kind === 'other' ? detected.name : 'in an unknown format';
  if (declared === null) return { kind: 'unsupported', detail: describeUnsupportedFormat(name) };
  const said = `The image is ${name}, but Content-Type says image/${declared}.`;
  return { kind: 'mislabeled', detail: `${said} ${describeSupportedFormats(name)}` };
}

export function describeUnsupportedFormat(name: string): string {
  return `The image is ${name}. ${describeSupportedFormats(name)}`;
}

/** Says which formats to send, with advice for iPhones, which take HEIC photos by default. */
function describeSupportedFormats(name: string): string {
  const advice = name === 'HEIC' ? ' (iPhone: Settings, Camera, Formats, Most Compatible)' : '';
  return `Send JPEG, PNG or WebP${advice}.`;
}

function nameOf(kind: ImageFormat): string {
  return kind === 'webp' ? 'WebP' : kind.toUpperCase();
}

function checkHead(kind: ImageFormat, bytes: Buffer): ImageRefusal | null {
  const head = readImageHeader(kind, bytes);
  if (head.kind === 'broken') {
    return unreadableImage(`The ${nameOf(kind)} is damaged or incomplete.`);
  }
  if (head.width * head.height > IMAGE_PIXELS_MAX) {
    return unreadableImage(
      `The image has ${head.width} × ${head.height} pixels; the maximum is 50 megapixels.`,
    );
  }
  if (Math.max(head.width, head.height) > IMAGE_SIDE_MAX) {
    return unreadableImage(
      `The image has ${head.width} × ${head.height} pixels; the maximum is ${IMAGE_SIDE_MAX} pixels per side.`,
    );
  }
  if (head.scans > SCANS_MAX || head.scans * head.width * head.height > SCANNED_PIXELS_MAX) {
    const size = `${head.width} × ${head.height} pixels`;
    return unreadableImage(
      `The JPEG has too many scans for ${size}. Save it again as a baseline JPEG.`,
    );
  }
  if (head.isAnimated) return unreadableImage('The image is animated. Send a still image.');
  return null;
}

export function unreadableImage(detail: string): ImageRefusal {
  return { kind: 'unreadable', detail };
}

async function make(sharp: Sharp, bytes: Buffer): Promise<EncodedImage> {
  const limits = { limitInputPixels: IMAGE_PIXELS_MAX, failOn: 'error' } as const;
  // Both sizes are made from the raw pixels of one decode, which contain no metadata.
  const { data, info } = await sharp(bytes, limits)
    .autoOrient()
    .resize(fitting(LARGE_EDGE_PIXELS))
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const hasAlpha = info.channels === 4 && !isOpaque(data);
  const encode = async (edgePixels: number): Promise<Rendition> => {
    const pixels = sharp(data, { raw }).resize(fitting(edgePixels));
    const encoded = hasAlpha
      ? pixels.webp({ quality: QUALITY })
      : pixels.removeAlpha().jpeg({ quality: QUALITY });
    const made = await encoded.toBuffer({ resolveWithObject: true });
    const { width, height } = made.info;
    return { bytes: made.data, width, height };
  };
  const large = await encode(LARGE_EDGE_PIXELS);
  const small = await encode(SMALL_EDGE_PIXELS);
  const contentType = hasAlpha ? 'image/webp' : 'image/jpeg';
  return { contentType, etag: etagOf(large.bytes), large, small };
}

function fitting(edgePixels: number): {
  width: number;
  height: number;
  fit: 'inside';
  withoutEnlargement: true;
} {
  return { width: edgePixels, height: edgePixels, fit: 'inside', withoutEnlargement: true };
}

function isOpaque(rgba: Buffer): boolean {
  for (let at = 3; at < rgba.length; at += 4) {
    if (rgba[at] !== 255) return false;
  }
  return true;
}

/** Returns 132 bits of a hash, which are enough to avoid collisions and keep manifests short. */
function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

function toRefusal(error: unknown): ImageRefusal {
  // The library throws plain `Error`s. An error of another class is a bug in this service.
  if (!(error instanceof Error) || error.name !== 'Error') throw error;
  if (/pixel limit/.test(error.message)) {
    return unreadableImage('The image has more than 50 megapixels.');
  }
  // A lack of memory is a fault of the service, not of the image.
  if (/out of memory|cannot allocate|ENOMEM/i.test(error.message)) throw error;
  return unreadableImage('The image is damaged or incomplete.');
}

const IEND = 0x49_45_4e_44;
/** The types of text chunks: tEXt, zTXt and iTXt. */
const TEXTS: ReadonlySet<number> = new Set([0x74_45_58_74, 0x7a_54_58_74, 0x69_54_58_74]);

/**
 * Removes the text chunks of a PNG that `readImageHeader` has accepted (PNG §11.3.3). Re-encoding
 * would drop them anyway, but a decoder first inflates each of them, to as much as 8 MB.
 */
function stripTextChunks(png: Buffer): Buffer {
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
