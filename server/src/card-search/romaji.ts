import { toRomaji } from 'wanakana';

/** Kana pairs of foreign words. wanakana would convert each kana separately (ティ to teii). */
const FOREIGN_PAIRS =
  'ゔぁba ゔぃbi ゔぇbe ゔぉbo ゔゅbyu ゔbu ふぁfa ふぃfi ふぇfe ふぉfo ふゅfyu てぃti でぃdi てゅtyu ' +
  'でゅdyu とぅtu どぅdu うぃwi うぇwe うぉwo いぇye しぇshe じぇje ちぇche つぁtsa つぃtsi つぇtse つぉtso ' +
  'くぁkwa くぃkwi くぇkwe くぉkwo ぐぁgwa きぇkye にぇnye ひぇhye';

const HIRAGANA = Array.from({ length: 86 }, (_, at) => String.fromCharCode(0x30_41 + at));

/** A table, because calling wanakana for each name is 30 times slower. */
const MORAE: ReadonlyMap<string, string> = new Map([
  ...HIRAGANA.flatMap((kana) => ['', 'ゃ', 'ゅ', 'ょ'].map((small) => kana + small)).map(
    (kana) => [kana, toRomaji(kana)] as const,
  ),
  ...FOREIGN_PAIRS.split(' ').map((pair) => {
    const [, kana = '', romaji = ''] = /^(\W+)(\w+)$/.exec(pair) ?? [];
    return [kana, romaji] as const;
  }),
  ['っ', ''],
  ['ー', ''],
]);

const KANA_NAME = /^(?=.*[\u3041-\u3096])[\u3041-\u3096ー0-9a-z☆★♀♂%+×]+$/;
const LATIN_NAME = /^(?=.*[a-z])[a-z0-9☆★♀♂%+×]+$/;
const ONE_LETTER_REPEATED = /^([a-z])\1+$/;

/** Unifies spellings in this order: Hepburn to Kunrei, then sounds that listeners confuse. */
const SPELLINGS = (
  '[ct]ch:ch sh(?=i):s sh:sy ch(?=i):t ch:ty ts(?=u):t fu:hu j(?=i):z jy?:zy dz(?=u):z ' +
  'm(?=[bpm]):n l:r v:b ou:o ([a-z])\\1+:$1'
)
  .split(' ')
  .map((rule) => rule.split(/:(?=[^:]*$)/))
  .map(([pattern = '', spelling = '']) => ({ pattern: new RegExp(pattern, 'g'), spelling }));

/** Returns a Latin key as a Japanese listener hears it, or '' if it is not plain Latin. */
export function soundOfLatin(key: string): string {
  if (!LATIN_NAME.test(key)) return '';
  return SPELLINGS.reduce((text, { pattern, spelling }) => text.replace(pattern, spelling), key);
}

/** Returns the sound of a query, or '' for `aaaa`: its sound `a` is in nearly every name. */
export function soundOfQuery(key: string): string {
  return ONE_LETTER_REPEATED.test(key) ? '' : soundOfLatin(key);
}

export function soundOfKana(key: string): string {
  if (!KANA_NAME.test(key)) return '';
  let romaji = '';
  for (let at = 0; at < key.length; at++) {
    const pair = at + 1 < key.length ? MORAE.get(key.slice(at, at + 2)) : undefined;
    romaji += pair ?? MORAE.get(key.charAt(at)) ?? key.charAt(at);
    if (pair !== undefined) at++;
  }
  return soundOfLatin(romaji);
}
