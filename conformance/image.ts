import { crc32 } from 'node:zlib';

/**
 * Returns the fault of an image file of this type, or null. Checks the structure to its end, to
 * detect truncated files and files of another type. Accepts types other than JPEG, PNG and WebP
 * without a check.
 */
export function findImageFault(contentType: string, bytes: Buffer): string | null {
  const type = contentType.split(';')[0]?.trim().toLowerCase();
  try {
    if (type === 'image/jpeg') return jpegFault(bytes);
    if (type === 'image/png') return pngFault(bytes);
    if (type === 'image/webp') return webpFault(bytes);
    return null;
  } catch (error) {
    // A read went past the last byte.
    if (error instanceof RangeError) return `it is truncated after ${bytes.length} bytes`;
    throw error;
  }
}

/**
 * Returns whether a marker begins a frame header, which contains the size of the image (ITU-T T.81,
 * table B.1). DHT, JPG and DAC are not frame headers.
 */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/**
 * ITU-T T.81, annex B: markers with their segments, and the scan data, up to the end-of-image
 * marker.
 */
function jpegFault(bytes: Buffer): string | null {
  if (bytes.readUInt16BE(0) !== 0xffd8) return 'it has no JPEG header';
  let at = 2;
  let isFramed = false;
  let scans = 0;
  while (at < bytes.length) {
    if (bytes.readUInt8(at) !== 0xff) return `there is no marker at byte ${at}`;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      // A fill byte.
      at += 1;
      continue;
    }
    if (marker === 0xd9) return isFramed && scans > 0 ? null : 'it ends before its first scan';
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) {
      return `there is no segment at byte ${at}`;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (isFrame(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      if (height === 0 || width === 0) return `its size is ${width} × ${height}`;
      isFramed = true;
    }
    at += 2 + length;
    if (marker !== 0xda) continue;
    const end = scanEnd(bytes, at);
    if (end === at) return 'a scan is empty';
    at = end;
    scans += 1;
  }
  return `it is truncated after ${bytes.length} bytes`;
}

/** The end of a scan: the next marker that is neither a stuffed byte nor a restart marker. */
function scanEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}

/** PNG specification, 5: chunks with checksums, up to IEND. */
function pngFault(bytes: Buffer): string | null {
  if (bytes.readUInt32BE(0) !== 0x89504e47) return 'it has no PNG header';
  let at = 8;
  while (at < bytes.length) {
    const end = at + 8 + bytes.readUInt32BE(at);
    const sum = bytes.readUInt32BE(end);
    if (crc32(bytes.subarray(at + 4, end)) !== sum) return `the chunk at byte ${at} is damaged`;
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return null;
    at = end + 4;
  }
  return `it is truncated after ${bytes.length} bytes`;
}

/** RFC 9649 §2: chunks that exactly fill the length in the header. */
function webpFault(bytes: Buffer): string | null {
  const name = (at: number): string => bytes.toString('latin1', at, at + 4);
  if (name(0) !== 'RIFF' || name(8) !== 'WEBP') return 'it has no WebP header';
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) return `it is truncated after ${bytes.length} bytes`;
  let at = 12;
  let hasImage = false;
  while (at < end) {
    hasImage ||= /^(VP8 |VP8L|ANMF)$/.test(name(at));
    const length = bytes.readUInt32LE(at + 4);
    // Chunks are padded to an even length.
    at += 8 + length + (length % 2);
  }
  if (at !== end) return 'its last chunk is truncated';
  return hasImage ? null : 'it contains no image';
}
