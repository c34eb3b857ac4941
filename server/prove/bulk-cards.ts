/** The size of a padded card. An object in Scryfall's bulk data has about 4 kB. */
const ELEMENT_BYTES = 4_000;
/** Chunk size, the same as Node's for reading files. */
const CHUNK_BYTES = 65_536;

/** Returns the n-th card of a version of the file: a made-up card in Scryfall's format. */
export function makeBulkCard(n: number, version: number): Record<string, unknown> {
  const id = n.toString(16).padStart(12, '0');
  // Every third card differs between versions.
  const rarity = n % 3 === 0 ? ['common', 'rare'][version % 2] : 'uncommon';
  return {
    object: 'card',
    id: `c0000000-0000-4000-8000-${id}`,
    lang: n % 2 === 0 ? 'en' : 'ja',
    name: `Invented Heron ${n}`,
    printed_name: `作り物の鷺${n}`,
    finishes: n % 4 === 0 ? ['nonfoil', 'foil'] : ['nonfoil'],
    set_id: 'd0000000-0000-4000-8000-000000000001',
    set: 'inv',
    set_name: 'Inventions',
    collector_number: String(n),
    rarity,
    digital: false,
    image_uris: { normal: `https://pictures.example/${n}.jpg` },
  };
}

/**
 * Generates a bulk file with this many cards, one per line. With `isPadded`, the cards have the
 * size of real cards.
 */
export function* generateBulkFile(
  cards: number,
  version: number,
  isPadded: boolean,
): Generator<Buffer, void> {
  let held = '[\n';
  for (let n = 0; n < cards; n++) {
    const text = JSON.stringify(makeBulkCard(n, version));
    const padding = `,"oracle_text":"${'Flying, \\"marsh\\"walk. '.repeat(Math.max(0, ELEMENT_BYTES - text.length) / 22)}"}`;
    held += `${isPadded ? text.slice(0, -1) + padding : text}${n === cards - 1 ? '' : ','}\n`;
    if (held.length >= CHUNK_BYTES) {
      yield Buffer.from(held);
      held = '';
    }
  }
  yield Buffer.from(`${held}]\n`);
}

/** Returns the number of padded cards in this many megabytes. */
export function paddedCardCount(megabytes: number): number {
  return Math.ceil((megabytes * 1_000_000) / ELEMENT_BYTES);
}
