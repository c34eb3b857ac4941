import type { Fields } from './authorization-flow.ts';
import type { RequestBody } from './browser.ts';
import { mutateBytes, pickHostileText } from './mutation.ts';
import type { Random } from './random.ts';

export interface SentFile {
  /** The name of the form's field. */
  readonly field: string;
  readonly fileName: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** The characters that a boundary may have (RFC 2046 §5.1.1). */
const BOUNDARY_CHARACTERS = [
  ..."0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'()+_,-./:=? ",
];
const BOUNDARY_LENGTHS = [1, 2, 69, 70, 71, 200, 255, 256, 257, 1_000, 8_000];
const FIELDS_COUNTS = [9, 10, 1_000];
const FIELD_LENGTHS = [1_000, 1_001, 70_000];
const HEADER_COUNTS = [20, 21, 2_500];

/** One part: its header lines, and its content. */
interface Part {
  readonly headers: readonly string[];
  readonly content: Buffer;
}

/** Encodes a form with a file, usually as a browser does, sometimes with one or two mistakes. */
export function encodeMultipart(random: Random, fields: Fields, file: SentFile): RequestBody {
  let parts = [...fields.map(([name, value]) => fieldPart(name, value)), filePart(file)];
  const mistakes = random.pick([0, 0, 1, 1, 2]);
  for (let count = 0; count < mistakes; count++) parts = changeParts(random, parts);
  const boundary = makeBoundary(random);
  const body = joinParts(random, parts, boundary, mistakes > 0 && random.chance(30));
  return {
    body: random.chance(90) ? body : mutateBytes(random, body),
    type: typeOf(random, boundary),
  };
}

function fieldPart(name: string, value: string): Part {
  const quoted = escapeName(name);
  return {
    headers: [`Content-Disposition: form-data; name="${quoted}"`],
    content: Buffer.from(value.toWellFormed()),
  };
}

function filePart({ field, fileName, type, bytes }: SentFile): Part {
  const names = `name="${escapeName(field)}"; filename="${escapeName(fileName)}"`;
  return {
    headers: [`Content-Disposition: form-data; ${names}`, `Content-Type: ${type}`],
    content: bytes,
  };
}

/** Escapes a name as browsers do (WHATWG HTML, multipart/form-data encoding algorithm). */
function escapeName(name: string): string {
  return name.toWellFormed().replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

function changeParts(random: Random, parts: readonly Part[]): Part[] {
  const at = random.below(Math.max(parts.length, 1));
  const part = parts[at] ?? fieldPart('x', 'y');
  switch (random.below(9)) {
    case 0:
      return parts.filter((_, other) => other !== at);
    case 1:
      return [...parts, part];
    case 2:
      return parts.toReversed();
    case 3:
      return [part, ...parts.filter((_, other) => other !== at)];
    case 4: {
      const length = random.pick(FIELDS_COUNTS);
      return [...Array.from({ length }, (_, n) => fieldPart(`f${n}`, 'x')), ...parts];
    }
    case 5:
      return [fieldPart(pickHostileText(random), 'x'.repeat(random.pick(FIELD_LENGTHS))), ...parts];
    case 6:
      return parts.with(at, { ...part, content: mutateBytes(random, part.content) });
    default:
      return parts.with(at, { ...part, headers: changeHeaders(random, part.headers) });
  }
}

function changeHeaders(random: Random, headers: readonly string[]): readonly string[] {
  const [first = ''] = headers;
  const hostile = pickHostileText(random).toWellFormed();
  return random.pick<readonly string[]>([
    [],
    headers.slice(1),
    [first, ...headers],
    [first.replace('form-data', random.pick(['attachment', 'file', '', 'FORM-DATA']))],
    [first.replace(/name="[^"]*"/, random.pick(['name=', 'name', 'name="', "name*=utf-8''x", '']))],
    [`${first}; filename=${random.pick([`"${hostile}"`, '"', 'a b', "*=utf-8''%zz", '../../x'])}`],
    [`${first}; filename*=UTF-8''${'%E3%81%82'.repeat(random.pick([1, 300, 3_000]))}`],
    [
      first,
      `Content-Type: ${random.pick(['multipart/mixed; boundary=x', 'text/plain; charset=utf-16', 'x', ''])}`,
    ],
    [first, `Content-Transfer-Encoding: ${random.pick(['base64', 'quoted-printable', 'x'])}`],
    [...headers, ...Array.from({ length: random.pick(HEADER_COUNTS) }, (_, n) => `X-${n}: y`)],
    [...headers, `X-Long: ${'z'.repeat(random.pick([8_000, 16_385, 90_000]))}`],
    [first, 'no colon'],
    [`${first};`, ' folded="yes"'],
    [hostile],
    headers.map((header) => header.replace(': ', random.pick([':', ' : ', ':\t']))),
  ]);
}

function makeBoundary(random: Random): string {
  if (random.chance(50)) return `----fuzz${random.below(1e9)}`;
  const length = random.chance(50) ? 1 + random.below(70) : random.pick(BOUNDARY_LENGTHS);
  // The last character may not be a space.
  const text = Array.from({ length }, () => random.pick(BOUNDARY_CHARACTERS)).join('');
  return random.chance(90) ? text.replace(/ $/, 'x') : text;
}

function joinParts(
  random: Random,
  parts: readonly Part[],
  boundary: string,
  isDamaged: boolean,
): Buffer {
  const [end, close, before, after] = isDamaged
    ? [
        random.pick(['\r\n', '\n', '\r', '']),
        random.pick(['--', '', '-', '--\r\n--']),
        random.pick(['', '\r\n', 'preamble\r\n', '--', `--${boundary}--\r\n`]),
        random.pick(['', 'epilogue', `--${boundary}\r\n`, '\0'.repeat(70_000)]),
      ]
    : ['\r\n', '--', '', ''];
  const bodies = parts.flatMap(({ headers, content }) => {
    const head = headers.map((header) => `${header}${end}`).join('');
    return [Buffer.from(`--${boundary}${end}${head}${end}`), content, Buffer.from(end)];
  });
  return Buffer.concat([
    Buffer.from(before),
    ...bodies,
    Buffer.from(`--${boundary}${close}${end}${after}`),
  ]);
}

/** Returns the Content-Type, whose boundary is sometimes missing or another. */
function typeOf(random: Random, boundary: string): string {
  const isToken = /^[\w'+.-]+$/.test(boundary);
  const given = isToken && random.chance(70) ? boundary : `"${boundary}"`;
  if (random.chance(90)) return `multipart/form-data; boundary=${given}`;
  return random.pick([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary="${boundary}`,
    `multipart/form-data; boundary=${boundary}`,
    `multipart/form-data; boundary=${given}; boundary=x`,
    `multipart/form-data; boundary=x; boundary=${given}`,
    `multipart/form-data; charset=utf-16; BOUNDARY=${given}`,
    `Multipart/Form-Data;boundary=${given}`,
    `multipart/mixed; boundary=${given}`,
    `multipart/form-data; boundary=${given}-`,
    'multipart/form-data; boundary=\u00e9\u00ff',
    'application/x-www-form-urlencoded',
    'text/csv',
  ]);
}
