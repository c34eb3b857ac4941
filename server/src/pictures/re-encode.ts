import { createHash } from 'node:crypto';
import { loadDecoder, type Sharp } from './decoder.ts';
import { readHead } from './picture-head.ts';
import { KIND_BYTES, type PictureKind, tellKind } from './picture-kind.ts';
import { withoutTexts } from './png-texts.ts';

/** Largest upload in bytes (decision 0080): a 50-megapixel JPEG from a phone has 15 MB. */
export const PICTURE_BYTES_MAX = 20_000_000;
/** Most pixels that are decoded (decision 0080). */
export const PICTURE_PIXELS_MAX = 50_000_000;
/** Longest side that is decoded, the maximum of JPEG: millions of rows of one pixel take 20 s. */
const PICTURE_SIDE_MAX = 65_535;
/** Most scans of a JPEG: cameras and encoders write 1 to 12; each is a pass over all pixels. */
const SCANS_MAX = 64;
/** Pixels times scans: 20 scans of 50 megapixels decode in a third of a second. */
const SCANNED_PIXELS_MAX = 1_000_000_000;
/** Long edges of the two sizes in pixels: for a full screen, and for a list. */
const LARGE_EDGE_PIXELS = 1_600;
const SMALL_EDGE_PIXELS = 360;
/** 80 blurs the fine print of a card; 90 makes files half as large again. */
const QUALITY = 85;

export interface Rendition {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** A re-encoded picture: upright, sRGB, 8 bits, without metadata. */
export interface Picture {
  readonly contentType: 'image/jpeg' | 'image/webp';
  /** A strong ETag, including its quotes (RFC 9110 §8.8.3), computed from the large rendition. */
  readonly etag: string;
  /** Long edge at most 1,600 pixels, never enlarged. */
  readonly large: Rendition;
  /** Long edge at most 360 pixels. */
  readonly small: Rendition;
}

/** Why a body was refused. `detail` is a sentence for the developer. */
export interface PictureRefusal {
  readonly kind: 'unsupported' | 'mislabelled' | 'unreadable';
  readonly detail: string;
}

export type ReEncodeResult =
  | { readonly kind: 'picture'; readonly picture: Picture }
  | PictureRefusal;

/**
 * Decodes a JPEG, PNG or WebP, detected by its bytes, and encodes both sizes: as JPEG if opaque,
 * else as WebP. The header is checked first, so nothing is allocated for more than 50 megapixels.
 * Call it in a process that may be killed (`DecoderPool`): a picture can take minutes despite all
 * limits.
 *
 * @param declared the kind that the client declared; null if none
 */
export async function reEncode(
  bytes: Buffer,
  declared: PictureKind | null,
): Promise<ReEncodeResult> {
  const told = examine(bytes, declared);
  if (typeof told !== 'string') return told;
  const sharp = await loadDecoder();
  try {
    const decoded = told === 'png' ? withoutTexts(bytes) : bytes;
    return { kind: 'picture', picture: await make(sharp, decoded) };
  } catch (error) {
    return explain(error);
  }
}

/** Checks the bytes without decoding: returns the kind, or why the picture is refused. */
export function examine(bytes: Buffer, declared: PictureKind | null): PictureKind | PictureRefusal {
  const told = checkKind(bytes, declared);
  if (typeof told !== 'string') return told;
  return checkHead(told, bytes) ?? told;
}

function checkKind(bytes: Buffer, declared: PictureKind | null): PictureKind | PictureRefusal {
  if (bytes.length === 0) return unreadable('The body is empty. Send the bytes of the image.');
  const told = tellKind(bytes.subarray(0, KIND_BYTES));
  if (told.kind !== 'other' && told.kind !== 'unknown') {
    if (declared === null || declared === told.kind) return told.kind;
    const detail = `The image is ${nameOf(told.kind)}, but Content-Type says image/${declared}.`;
    return { kind: 'mislabelled', detail };
  }
  const name = told.kind === 'other' ? told.name : 'not an image of a known format';
  if (declared === null) return { kind: 'unsupported', detail: unsupportedSentence(name) };
  const said = `The image is ${name}, but Content-Type says image/${declared}.`;
  return { kind: 'mislabelled', detail: `${said} ${readSentence(name)}` };
}

export function unsupportedSentence(name: string): string {
  return `The image is ${name}. ${readSentence(name)}`;
}

/** What to send instead. iPhones take HEIC photos unless set otherwise. */
function readSentence(name: string): string {
  const advice = name === 'HEIC' ? ' (iPhone: Settings, Camera, Formats, Most Compatible)' : '';
  return `Send JPEG, PNG or WebP${advice}.`;
}

function nameOf(kind: PictureKind): string {
  return kind === 'webp' ? 'WebP' : kind.toUpperCase();
}

function checkHead(kind: PictureKind, bytes: Buffer): PictureRefusal | null {
  const head = readHead(kind, bytes);
  if (head.kind === 'broken') {
    return unreadable(`The ${nameOf(kind)} is damaged or incomplete.`);
  }
  if (head.width * head.height > PICTURE_PIXELS_MAX) {
    return unreadable(
      `The image has ${head.width} × ${head.height} pixels; the maximum is 50 megapixels.`,
    );
  }
  if (Math.max(head.width, head.height) > PICTURE_SIDE_MAX) {
    return unreadable(
      `The image has ${head.width} × ${head.height} pixels; the maximum is ${PICTURE_SIDE_MAX} pixels per side.`,
    );
  }
  if (head.scans > SCANS_MAX || head.scans * head.width * head.height > SCANNED_PIXELS_MAX) {
    const size = `${head.width} × ${head.height} pixels`;
    return unreadable(`The JPEG has too many scans for ${size}. Save it again as a baseline JPEG.`);
  }
  if (head.isAnimated) return unreadable('The image is animated. Send a still image.');
  return null;
}

export function unreadable(detail: string): PictureRefusal {
  return { kind: 'unreadable', detail };
}

async function make(sharp: Sharp, bytes: Buffer): Promise<Picture> {
  const limits = { limitInputPixels: PICTURE_PIXELS_MAX, failOn: 'error' } as const;
  // Decoded once: both sizes are made from the large one's raw pixels, which carry no metadata.
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

/**
 * True if every pixel of the RGBA data is opaque. At most 2.6 million pixels, some milliseconds.
 */
function isOpaque(rgba: Buffer): boolean {
  for (let at = 3; at < rgba.length; at += 4) {
    if (rgba[at] !== 255) return false;
  }
  return true;
}

/** Truncated to 132 bits: enough against collisions, and shorter in every manifest than 256. */
function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/** Maps errors of sharp and libvips caused by the picture to a refusal; rethrows all others. */
function explain(error: unknown): PictureRefusal {
  // The library throws plain `Error`s; any other class is a bug in this program.
  if (!(error instanceof Error) || error.name !== 'Error') throw error;
  if (/pixel limit/.test(error.message)) {
    return unreadable('The image has more than 50 megapixels.');
  }
  // Lack of memory is the service's fault, not the picture's.
  if (/out of memory|cannot allocate|ENOMEM/i.test(error.message)) throw error;
  return unreadable('The image is damaged or incomplete.');
}
