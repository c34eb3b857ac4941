import fc from 'fast-check';

/**
 * Any character of Unicode, as a unit of `fc.string`. fast-check's own `binary` first builds a table of all 1.1 million,
 * which takes a second of CPU.
 */
export const anyCharacter = fc
  .nat({ max: 0x10_ffff - 0x800 })
  // Past the halves of surrogate pairs, which are no characters.
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
