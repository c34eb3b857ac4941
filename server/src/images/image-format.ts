export type ImageFormat = 'jpeg' | 'png' | 'webp';

export type DetectedFormat =
  | { readonly kind: ImageFormat }
  | { readonly kind: 'other'; readonly name: string }
  | { readonly kind: 'unknown' };

/** The number of bytes that `detectFormat` reads. A body may be shorter. */
export const SIGNATURE_BYTES = 512;

const PNG = '\u0089PNG\r\n\u001A\n';

/** Matches the brands of still images in the ISO base media container (ISO/IEC 23008-12, AVIF). */
const HEIF_BRANDS = /^(heic|heix|heim|heis|hevc|hevx|mif1|msf1)/;

/** Detects the format from the first bytes, regardless of the declared type. */
export function detectFormat(head: Uint8Array): DetectedFormat {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SIGNATURE_BYTES));
  const start = text.toString('latin1');
  if (start.startsWith('\u00FF\u00D8\u00FF')) return { kind: 'jpeg' };
  if (start.startsWith(PNG)) return { kind: 'png' };
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return { kind: 'webp' };
  const name = nameOther(start);
  return name === null ? { kind: 'unknown' } : { kind: 'other', name };
}

function nameOther(start: string): string | null {
  if (start.slice(4, 8) === 'ftyp') {
    const brand = start.slice(8, 12);
    if (brand.startsWith('avi')) return 'AVIF';
    return HEIF_BRANDS.test(brand) ? 'HEIC' : 'a video';
  }
  if (/^GIF8[79]a/.test(start)) return 'GIF';
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return 'TIFF';
  if (start.startsWith('BM')) return 'BMP';
  if (start.startsWith('%PDF')) return 'PDF';
  if (start.startsWith('\0\0\0\fJXL ') || start.startsWith('\u00FF\u000A')) return 'JPEG XL';
  if (/^\s*(<\?xml|<!--|<!doctype svg|<svg)/i.test(start)) return 'SVG or other XML';
  return null;
}
