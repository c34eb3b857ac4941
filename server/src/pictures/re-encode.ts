import { createHash } from 'node:crypto';
import { loadDecoder, type Sharp } from './decoder.ts';
import { readHead } from './picture-head.ts';
import { KIND_BYTES, type PictureKind, tellKind } from './picture-kind.ts';
import { withoutTexts } from './png-texts.ts';

/** The largest picture that is taken in, in bytes (decision 0080): a 50-megapixel JPEG of a phone has 15 MB. */
export const PICTURE_BYTES_MAX = 20_000_000;
/** The most pixels that are decoded (decision 0080). */
export const PICTURE_PIXELS_MAX = 50_000_000;
/** The longest side that is decoded, the most that a JPEG can have: millions of rows of one pixel take 20 s. */
const PICTURE_SIDE_MAX = 65_535;
/** Scans of a JPEG: cameras and encoders write 1 to 12, and each is decoded over all pixels. */
const SCANS_MAX = 64;
/** Pixels times scans: 20 scans of 50 megapixels decode in a third of a second. */
const SCANNED_PIXELS_MAX = 1_000_000_000;
/** Long edges of the two sizes, in pixels: a whole screen, and a list. */
const LARGE_EDGE_PIXELS = 1_600;
const SMALL_EDGE_PIXELS = 360;
/** 80 blurs the fine print of a card, 90 costs half as many bytes again. */
const QUALITY = 85;

export interface Rendition {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** A picture made anew: upright, sRGB, 8 bits, without a byte of metadata. */
export interface Picture {
  readonly contentType: 'image/jpeg' | 'image/webp';
  /** Strong, the exact value of the header with its quotes (RFC 9110 §8.8.3), made from the large one's bytes. */
  readonly etag: string;
  /** Long edge of at most 1,600 pixels, never enlarged. */
  readonly large: Rendition;
  /** Long edge of at most 360 pixels. */
  readonly small: Rendition;
}

/** Why a body is no picture that is read. `detail` is a sentence for the developer. */
export interface PictureRefusal {
  readonly kind: 'unsupported' | 'mislabelled' | 'unreadable';
  readonly detail: string;
}

export type ReEncodeResult =
  | { readonly kind: 'picture'; readonly picture: Picture }
  | PictureRefusal;

/**
 * Decodes a body as the JPEG, PNG or WebP that its bytes are and makes both sizes of it: JPEG when it is opaque, else
 * WebP. Header first: what claims more than 50 megapixels is never allocated. Call it in a process that may be killed
 * (`DecoderPool`): a picture can take minutes in spite of all limits.
 *
 * @param declared what the sender says it is; null when it says nothing
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

/** Looks at the bytes without decoding them: what kind of picture they are, or why they are none that is decoded. */
export function examine(bytes: Buffer, declared: PictureKind | null): PictureKind | PictureRefusal {
  const told = checkKind(bytes, declared);
  if (typeof told !== 'string') return told;
  return checkHead(told, bytes) ?? told;
}

function checkKind(bytes: Buffer, declared: PictureKind | null): PictureKind | PictureRefusal {
  if (bytes.length === 0) return unreadable('The body is empty: send the bytes of the picture.');
  const told = tellKind(bytes.subarray(0, KIND_BYTES));
  if (told.kind !== 'other' && told.kind !== 'unknown') {
    if (declared === null || declared === told.kind) return told.kind;
    const detail = `The bytes are ${nameOf(told.kind)}, but Content-Type says image/${declared}.`;
    return { kind: 'mislabelled', detail };
  }
  const name = told.kind === 'other' ? told.name : 'no picture that is known here';
  if (declared === null) return { kind: 'unsupported', detail: unsupportedSentence(name) };
  const said = `The bytes are ${name}, but Content-Type says image/${declared}.`;
  return { kind: 'mislabelled', detail: `${said} ${readSentence(name)}` };
}

export function unsupportedSentence(name: string): string {
  return `The picture is ${name}. ${readSentence(name)}`;
}

/** What to send instead. Photos of an iPhone are HEIC unless it is told otherwise. */
function readSentence(name: string): string {
  const advice = name === 'HEIC' ? ' (iPhone: Settings, Camera, Formats, Most Compatible)' : '';
  return `JPEG, PNG and WebP are read${advice}.`;
}

function nameOf(kind: PictureKind): string {
  return kind === 'webp' ? 'WebP' : kind.toUpperCase();
}

function checkHead(kind: PictureKind, bytes: Buffer): PictureRefusal | null {
  const head = readHead(kind, bytes);
  if (head.kind === 'broken') {
    return unreadable(`The ${nameOf(kind)} is damaged or not whole.`);
  }
  if (head.width * head.height > PICTURE_PIXELS_MAX) {
    return unreadable(
      `The picture has ${head.width} × ${head.height} pixels; at most 50 megapixels are read.`,
    );
  }
  if (Math.max(head.width, head.height) > PICTURE_SIDE_MAX) {
    return unreadable(
      `The picture has ${head.width} × ${head.height} pixels; at most ${PICTURE_SIDE_MAX} a side are read.`,
    );
  }
  if (head.scans > SCANS_MAX || head.scans * head.width * head.height > SCANNED_PIXELS_MAX) {
    const size = `${head.width} × ${head.height} pixels`;
    return unreadable(`The JPEG has too many scans for ${size}: save it again as baseline JPEG.`);
  }
  if (head.isAnimated) return unreadable('The picture is animated: send a still one.');
  return null;
}

export function unreadable(detail: string): PictureRefusal {
  return { kind: 'unreadable', detail };
}

async function make(sharp: Sharp, bytes: Buffer): Promise<Picture> {
  const limits = { limitInputPixels: PICTURE_PIXELS_MAX, failOn: 'error' } as const;
  // Decoded once: both sizes are made from the large one's pixels, which carry nothing but colours.
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

/** True when no pixel of RGBA shows through: at most 2.6 million of them, some milliseconds. */
function isOpaque(rgba: Buffer): boolean {
  for (let at = 3; at < rgba.length; at += 4) {
    if (rgba[at] !== 255) return false;
  }
  return true;
}

/** 256 bits would only lengthen every manifest; 128 cannot be met by chance or by trying. */
function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/** Messages of sharp and libvips for pictures that are at fault themselves. */
function explain(error: unknown): PictureRefusal {
  // The library throws plain errors; any other kind is a fault of this program, and no picture's.
  if (!(error instanceof Error) || error.name !== 'Error') throw error;
  if (/pixel limit/.test(error.message)) {
    return unreadable('The picture has more than 50 megapixels.');
  }
  // Out of memory and the like are the service's fault, not the picture's.
  if (/out of memory|cannot allocate|ENOMEM/i.test(error.message)) throw error;
  return unreadable('The picture is damaged or not whole.');
}
