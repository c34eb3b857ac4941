import { type FileFault, fileFault } from './fault.ts';

/** The maximum size of a file: 50,000 rows of the widest known export. */
export const FILE_BYTES_MAX = 8 * 1024 * 1024;

export type Encoding = 'utf-8' | 'shift_jis';

export interface DecodedFile {
  readonly kind: 'text';
  readonly encoding: Encoding;
  readonly text: string;
}

/** The first bytes of other kinds of files that people upload as CSV. */
const OTHER_FILES = [
  // .xlsx and .ods files are ZIP archives; .xls is a compound file.
  ['PK\x03\x04', 'workbook'],
  ['\xd0\xcf\x11\xe0', 'workbook'],
  ['\x1f\x8b', 'compressed'],
  ['\xff\xfe', 'utf16'],
  ['\xfe\xff', 'utf16'],
] as const;

const WEB_PAGE = /^\s*<(?:!doctype|html|\?xml)/i;

/** UTF-8, else Shift_JIS as CP932, in which spreadsheets on Japanese computers save CSV. */
export function decodeFile(bytes: Uint8Array): DecodedFile | FileFault {
  if (bytes.length === 0) return fileFault('empty');
  if (bytes.length > FILE_BYTES_MAX) return fileFault('too_large');
  const start = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  for (const [signature, code] of OTHER_FILES) {
    if (start.startsWith(signature)) return fileFault(code);
  }
  for (const encoding of ['utf-8', 'shift_jis'] as const) {
    const text = decode(bytes, encoding);
    if (text === null) continue;
    if (text.includes('\0')) return fileFault('binary');
    if (text.trim() === '') return fileFault('empty');
    return WEB_PAGE.test(text) ? fileFault('web_page') : { kind: 'text', encoding, text };
  }
  return fileFault('encoding');
}

function decode(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    // The Encoding Standard's shift_jis is CP932
    // (https://encoding.spec.whatwg.org/#shift_jis-decoder).
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
