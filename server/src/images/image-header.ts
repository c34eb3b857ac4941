import type { ImageFormat } from './image-format.ts';

export type ImageHeader =
  | {
      readonly kind: 'head';
      readonly width: number;
      readonly height: number;
      readonly isAnimated: boolean;
      /** The scans of a JPEG, counted up to `SCANS_COUNTED_MAX`; 1 for other formats. */
      readonly scans: number;
    }
  | { readonly kind: 'broken' };

const BROKEN: ImageHeader = { kind: 'broken' };

/** Reads the header of an image. Sizes stated in the header never cause an allocation. */
export function readImageHeader(kind: ImageFormat, bytes: Buffer): ImageHeader {
  const head = READERS[kind](bytes);
  if (head.kind === 'head' && (head.width === 0 || head.height === 0)) return BROKEN;
  return head;
}

const READERS: Readonly<Record<ImageFormat, (bytes: Buffer) => ImageHeader>> = {
  jpeg: readJpeg,
  png: readPng,
  webp: readWebp,
};

/** The maximum number of segments or chunks that are read. Real images have fewer than 1,000. */
const STEPS_MAX = 100_000;
const IEND = 0x49_45_4e_44;
const ACTL = 0x61_63_54_4c;

export const SCANS_COUNTED_MAX = 1_000;

const SOS = 0xda;
const EOI = 0xd9;

/** Reads the segments up to the frame header, then the scans (ITU-T T.81 B.1.1, B.2.2, B.2.3). */
function readJpeg(bytes: Buffer): ImageHeader {
  let size: { readonly width: number; readonly height: number } | null = null;
  let scans = 0;
  let at = 2;
  for (let step = 0; step < STEPS_MAX && at + 3 < bytes.length; step++) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI || scans === SCANS_COUNTED_MAX) break;
    // The markers of frame headers are C0 to CF, except DHT, JPG and DAC.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame && size === null && at + 9 < bytes.length) {
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += isBare ? 2 : 2 + Math.max(2, bytes.readUInt16BE(at + 2));
    if (marker !== SOS) continue;
    if (size === null) return BROKEN;
    scans += 1;
    at = findMarker(bytes, at);
  }
  return size === null ? BROKEN : { kind: 'head', ...size, isAnimated: false, scans };
}

/** Finds the marker after a scan's data. Stuffed bytes and restart markers belong to the data. */
function findMarker(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at !== -1) {
    const next = bytes[at + 1] ?? EOI;
    if (next !== 0x00 && (next < 0xd0 || next > 0xd7)) return at;
    at = bytes.indexOf(0xff, at + 2);
  }
  return bytes.length;
}

/** Reads the chunks up to IEND. A file without IEND is incomplete (PNG §5.3, §11.2). */
function readPng(bytes: Buffer): ImageHeader {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return BROKEN;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  let isAnimated = false;
  let at = 8;
  for (let step = 0; step < STEPS_MAX && at + 12 <= bytes.length; step++) {
    const type = bytes.readUInt32BE(at + 4);
    if (type === IEND) return { kind: 'head', width, height, isAnimated, scans: 1 };
    if (type === ACTL) isAnimated = true;
    at += 12 + bytes.readUInt32BE(at);
  }
  return BROKEN;
}

/** Reads a RIFF container in which VP8, VP8L or VP8X comes first (RFC 9649 §2). */
function readWebp(bytes: Buffer): ImageHeader {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 > bytes.length) return BROKEN;
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') {
    const isAnimated = ((bytes[20] ?? 0) & 0x02) !== 0;
    const [width, height] = [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    return { kind: 'head', width, height, isAnimated, scans: 1 };
  }
  if (chunk === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    const [width, height] = [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    return { kind: 'head', width, height, isAnimated: false, scans: 1 };
  }
  if (chunk === 'VP8 ') {
    const [width, height] = [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
    return { kind: 'head', width, height, isAnimated: false, scans: 1 };
  }
  return BROKEN;
}
