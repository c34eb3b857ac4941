/**
 * Maps the English name of a rarity, in lower case, to the letters that shops and players write.
 *
 * Sources:
 * - Pokémon, Japanese: the letters printed on cards (card search of pokemon-card.com), with the
 *   names that Bulbapedia and TCGdex use
 * - Pokémon, others: the cards print symbols, so the abbreviations of Bulbapedia and TCGplayer
 * - Yu-Gi-Oh, Japanese: Konami's card database (db.yugioh-card.com)
 * - Yu-Gi-Oh, others: YGOPRODeck's `set_rarity_code`
 */
type Letters = Readonly<Record<string, string>>;

const POKEMON: Letters = {
  common: 'C',
  uncommon: 'U',
  rare: 'R',
  'double rare': 'RR',
  'triple rare': 'RRR',
  'amazing rare': 'A',
  'radiant rare': 'K',
  'character rare': 'CHR',
  'character super rare': 'CSR',
  'ace spec rare': 'ACE',
  'shiny rare': 'S',
  'shiny ultra rare': 'SSR',
  'black white rare': 'BWR',
  'hyper rare': 'HR',
};

const POKEMON_JAPANESE: Letters = {
  ...POKEMON,
  'holo rare': 'R',
  'rare holo': 'R',
  'holo rare v': 'RR',
  'rare holo v': 'RR',
  'holo rare vmax': 'RRR',
  'rare holo vmax': 'RRR',
  'holo rare vstar': 'RRR',
  'rare holo vstar': 'RRR',
  'illustration rare': 'AR',
  'special illustration rare': 'SAR',
  'ultra rare': 'SR',
  'secret rare': 'UR',
  'mega hyper rare': 'MUR',
};

/** Since Scarlet & Violet, a Hyper Rare is a gold card (UR); before, it was a rainbow card (HR). */
const POKEMON_JAPANESE_SINCE_SV: Letters = { ...POKEMON_JAPANESE, 'hyper rare': 'UR' };
/** The codes of Japanese sets since 2023: SV1S, SV-P, M2a. */
const SINCE_SV = /^(?:sv|m(?:-p$|\d))/i;

const POKEMON_OTHERS: Letters = {
  ...POKEMON,
  'holo rare': 'RH',
  'rare holo': 'RH',
  'holo rare v': 'RH',
  'holo rare vmax': 'RH',
  'holo rare vstar': 'RH',
};

const YUGIOH_JAPANESE: Letters = {
  common: 'N',
  'short print': 'N',
  'normal rare': 'NR',
  rare: 'R',
  'super rare': 'SR',
  'ultra rare': 'UR',
  'secret rare': 'SE',
  'prismatic secret rare': 'PSE',
  'extra secret rare': 'EXSE',
  '20th secret rare': '20thSE',
  'quarter century secret rare': 'QCSE',
  'ultimate rare': 'UL',
  "collector's rare": 'CR',
  'holographic rare': 'HR',
  'ghost rare': 'GR',
  'gold rare': 'GR',
  'gold secret rare': 'GSE',
  'normal parallel rare': 'N-P',
  'rare parallel rare': 'R-P',
  'super parallel rare': 'SR-P',
  'ultra parallel rare': 'UR-P',
  'secret parallel rare': 'SE-P',
};

const YUGIOH_OTHERS: Letters = {
  'secret rare': 'ScR',
  'prismatic secret rare': 'PScR',
  'platinum secret rare': 'PlScR',
  'gold secret rare': 'GScR',
  'starfoil rare': 'SFR',
  'starlight rare': 'StR',
  'ultimate rare': 'UtR',
  'ghost rare': 'GhR',
};

export function rarityCodeOf(
  game: string,
  language: string,
  setCode: string | null,
  name: string,
): string | null {
  return lettersOf(game, language === 'ja', setCode ?? '')[name.toLowerCase()] ?? null;
}

function lettersOf(game: string, isJapanese: boolean, setCode: string): Letters {
  if (game === 'yugioh') return isJapanese ? YUGIOH_JAPANESE : YUGIOH_OTHERS;
  if (game !== 'pokemon') return {};
  if (!isJapanese) return POKEMON_OTHERS;
  return SINCE_SV.test(setCode) ? POKEMON_JAPANESE_SINCE_SV : POKEMON_JAPANESE;
}
