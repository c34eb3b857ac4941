import { gzipSync } from 'node:zlib';
import { HOSTILE_ELEMENT } from '../../test/hostile-shop.ts';
import type { Random } from './random.ts';

/** Texts that may break parsers, markup, SQL, logs or limits of length. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\ufeffbom',
  '\ufffd',
  '\u202Eevil\u202C',
  'שלום مرحبا',
  `Z${'\u0301'.repeat(300)}`,
  '👩‍👩‍👧‍👦'.repeat(20),
  '𠮷野家',
  'ｶﾞ ヴ ー ㍿ ﬁ İ ı ẞ',
  '\u2028\u2029\u0085',
  '\r\nX-Injected: yes\r\n\r\n',
  '\t\n\v\f\b',
  '\u001b[31m',
  `'">${HOSTILE_ELEMENT} onx='1'>`,
  `</textarea></script>${HOSTILE_ELEMENT}>`,
  "'; select 1 --",
  '%00%0a%',
  '../../../../x',
  '${7*7}{{7*7}}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '-1',
  '0x10',
  '1e309',
  'NaN',
  '٣',
  '1,000',
  '99999999999999999999999',
  '0000-00-00T00:00:00Z',
  '2026-02-30T12:00:00Z',
  '9999-12-31T23:59:60+14:00',
  '-271821-04-20T00:00:00.000Z',
  'javascript:alert(1)',
  '//foreign.example/',
  'https://foreign.example/\\@x',
  'a'.repeat(65),
  'あ'.repeat(201),
  'x'.repeat(5_000),
  '\\'.repeat(1_000),
  '('.repeat(500),
  '%'.repeat(300),
  'é'.repeat(16_000),
];

/** Texts that PostgreSQL or UTF-8 cannot represent, or that are not allowed in a name. */
const UNSTORABLE = ['\u0000', 'a\u0000b', '\ud800', 'x\udfffy', 'a\u0001', 'x\u0085', ' '];

const NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  1,
  0.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e12,
  1e12 + 1,
  1e21,
  1e308,
  -1e308,
  5e-324,
];

/** Returns one of the texts above, or random characters. */
export function pickHostileText(random: Random): string {
  if (random.chance(40)) return random.pick(UNSTORABLE);
  if (random.chance(60)) return random.pick(HOSTILE_TEXTS);
  const length = random.below(40);
  const units = Array.from({ length }, () => random.below(random.pick([128, 0x400, 0x10000])));
  return String.fromCharCode(...units);
}

/**
 * Returns the text with one change: cut, doubled, in the opposite case, padded, with other
 * characters, or replaced.
 */
export function mutateText(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  switch (random.below(7)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return `${text}${text}`;
    case 2:
      return text.toUpperCase() === text ? text.toLowerCase() : text.toUpperCase();
    case 3:
      return `${text.slice(0, at)}${pickHostileText(random)}${text.slice(at)}`;
    case 4:
      return `${text.slice(0, at)}${text.slice(at + 1)}`;
    case 5:
      return ` ${text} `;
    default:
      return pickHostileText(random);
  }
}

/** Replaces a value with a changed one, one of another type, one at a limit, or a hostile text. */
export function mutateValue(random: Random, value: unknown): unknown {
  if (typeof value === 'string' && random.chance(60)) return mutateText(random, value);
  if (typeof value === 'number' && random.chance(60)) return random.pick(NUMBERS);
  switch (random.below(8)) {
    case 0:
      return null;
    case 1:
      return random.chance(50);
    case 2:
      return random.pick(NUMBERS);
    case 3:
      return [value];
    case 4:
      return { value };
    case 5:
      return nested(random.pick([10, 200, 2_000]));
    default:
      return pickHostileText(random);
  }
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

/** Returns a JSON value with one change, at any depth. */
export function mutateJson(random: Random, value: unknown): unknown {
  if (random.chance(8)) return mutateValue(random, value);
  if (Array.isArray(value) && value.length > 0) {
    const elements: readonly unknown[] = value;
    return elements.with(random.below(elements.length), mutateJson(random, random.pick(elements)));
  }
  if (typeof value !== 'object' || value === null) return mutateValue(random, value);
  const entries: [string, unknown][] = Object.entries(value);
  const texts = entries.filter(([, member]) => typeof member === 'string');
  const among = texts.length > 0 && random.chance(40) ? texts : entries;
  const [name, member] = among.length === 0 ? ['x', 1] : random.pick(among);
  switch (random.below(7)) {
    case 0:
      return Object.fromEntries(entries.filter(([other]) => other !== name));
    case 1:
      return { ...value, [random.pick(['color', '__proto_', 'ID', '', 'constructor'])]: member };
    default:
      return { ...value, [name]: mutateJson(random, member) };
  }
}

/**
 * Returns a JSON text with an error that no JSON value can have: duplicate keys, lone surrogates,
 * truncation, another encoding.
 */
export function mutateJsonText(random: Random, text: string): Buffer {
  const at = random.below(text.length + 1);
  switch (random.below(11)) {
    case 0:
      return Buffer.from(text.slice(0, at));
    case 1:
      return Buffer.from(text.replace(/"([^"]+)":/, '"$1":null,"$1":'));
    case 2:
      return Buffer.from(text.replace(/"([^"]*)"(?=[,}])/, String.raw`"\ud800$1"`));
    case 3:
      return Buffer.from(text.replace(/"([^"]*)"(?=[,}])/, String.raw`"$1\u0000"`));
    case 4:
      return Buffer.from(`\ufeff${text}`);
    case 5:
      return Buffer.from(text, 'utf16le');
    case 6:
      return Buffer.concat([Buffer.from(text.slice(0, at)), random.bytes(3), Buffer.from('"}')]);
    case 7:
      return Buffer.from('['.repeat(random.pick([20, 5_000, 8_000])));
    case 8:
      return Buffer.from(text.replace(/\d+/, random.pick(['1e999', '-0', '1.0', '01', '+1'])));
    case 9:
      return Buffer.from(`${text}${random.pick([' ', '\n', ',', '{}', '\0'])}`);
    default:
      return Buffer.from(' '.repeat(random.pick([1, 16_384, 16_385, 70_000])));
  }
}

/** Returns a copy in which some bytes are changed, removed or inserted. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const at = random.below(bytes.length + 1);
  switch (random.below(5)) {
    case 0:
      return changed.subarray(0, at);
    case 1:
      return Buffer.concat([changed.subarray(0, at), random.bytes(8), changed.subarray(at)]);
    case 2:
      return Buffer.concat([changed, changed]);
    case 3:
      return Buffer.concat([changed.subarray(0, at), changed.subarray(at + 1 + random.below(20))]);
    default:
      for (let count = 0; count <= random.below(10) && changed.length > 0; count++) {
        changed[random.below(changed.length)] = random.below(256);
      }
      return changed;
  }
}

/** Compresses a body. Sometimes the result is truncated or damaged. */
export function compress(random: Random, body: Buffer): Buffer {
  const zipped = gzipSync(body);
  return random.chance(60) ? zipped : mutateBytes(random, zipped);
}
