import { TablesBuilder } from './build-tables.ts';
import type { CardTables } from './card-tables.ts';
import { findByAbbreviation } from './find-by-abbreviation.ts';
import {
  addSubstringMatches,
  collectSubstringMatches,
  findExact,
  findPrefix,
  findWord,
} from './find-by-name.ts';
import { findByNumber, findByNumberEnd, findByNumberStart } from './find-by-number.ts';
import { findBySet } from './find-by-set.ts';
import { findByTerms } from './find-by-terms.ts';
import { findSimilarPrefixes } from './find-similar-prefixes.ts';
import { findSimilarTerms } from './find-similar-terms.ts';
import { findSimilarNames, type SimilarityKey } from './find-similar.ts';
import { HitCollector } from './hit-collector.ts';
import { SPELLING_KIND, NAME_KINDS } from './spelling.ts';
import { type Hit, hitOf } from './search-hit.ts';
import type { SearchQuery, Term } from './query.ts';
import type { SearchableCard } from './searchable-card.ts';
import { isSearchableAsSubstring } from './phonetic-key.ts';
import { TIER } from './tier.ts';
import { WORD_PLACE } from './word-place.ts';

export { compareHits, type Hit, needsSimilar as wantsSimilar } from './search-hit.ts';
export { parseQuery, type SearchQuery } from './query.ts';
export type { SearchableCard } from './searchable-card.ts';

/** Finds cards by name, number, set and rarity. An index is immutable and does no I/O. */
export class CardIndex {
  readonly #tables: CardTables;

  private constructor(tables: CardTables) {
    this.#tables = tables;
  }

  /** Builds an index. Card ids must be unique UUIDs. */
  static build(cards: Iterable<SearchableCard>): CardIndex {
    const builder = new TablesBuilder();
    for (const card of cards) builder.add(card);
    return new CardIndex(builder.build());
  }

  get size(): number {
    return this.#tables.size;
  }

  /**
   * Returns the best `limit` cards for a query, best first, or none for a blank query. `isHidden`
   * excludes cards that a newer index has. The hits of several indexes, sorted by `compareHits`,
   * equal the hits of a single index of all their cards.
   */
  find(query: SearchQuery, limit: number, isHidden?: (id: string) => boolean): Hit[] {
    const collector = new HitCollector(this.#tables, limit, isHidden);
    if (query.whole.key !== '') findAll(collector, query);
    return collector.found.map((found) => hitOf(this.#tables, found));
  }

  /**
   * Finds cards in three steps: first, names with one edit, or two from 8 characters on; second,
   * names or words whose beginning is within that distance of the query; third, cards that match
   * all terms, some with an edit. Call it only when `needsSimilar` is true for the hits of all
   * indexes.
   */
  findSimilar(query: SearchQuery, limit: number, isHidden?: (id: string) => boolean): Hit[] {
    const collector = new HitCollector(this.#tables, limit, isHidden);
    const keys = similarKeysOf(query.whole);
    findSimilarNames(collector, keys);
    findSimilarPrefixes(collector, keys);
    findSimilarTerms(collector, query.terms);
    return collector.found.map((found) => hitOf(this.#tables, found));
  }
}

function similarKeysOf({ key, loose, phonetic }: Term): SimilarityKey[] {
  const kindsOf = new Map([[key, NAME_KINDS]]);
  kindsOf.set(loose, (kindsOf.get(loose) ?? 0) | NAME_KINDS | SPELLING_KIND.loose);
  if (phonetic !== null) {
    kindsOf.set(phonetic, (kindsOf.get(phonetic) ?? 0) | SPELLING_KIND.phonetic);
  }
  return [...kindsOf].map(([text, kinds]) => ({ key: text, kinds }));
}

/** Other scripts do not separate words, and fewer letters are the beginning of a longer word. */
const LATIN_WORD = /^[a-z]{4,}$/;

/** Runs the tiers in the order of `TIER`. Each tier stops when the page is full. */
function findAll(collector: HitCollector, { whole, terms }: SearchQuery): void {
  if (whole.number !== null) findByNumber(collector, whole.number);
  findExact(collector, whole.key, SPELLING_KIND.primary, TIER.exactPrimary);
  findExact(collector, whole.key, SPELLING_KIND.localized, TIER.exactLocalized);
  if (whole.phonetic !== null) {
    findExact(collector, whole.phonetic, SPELLING_KIND.phonetic, TIER.exactPhonetic);
  }
  if (LATIN_WORD.test(whole.key)) {
    findWord(collector, whole.key, SPELLING_KIND.primary, TIER.wordPrimary);
  }
  findPrefix(collector, whole.key, SPELLING_KIND.primary, TIER.prefixPrimary);
  findPrefix(collector, whole.key, SPELLING_KIND.localized, TIER.prefixLocalized);
  if (whole.loose !== '') {
    findExact(collector, whole.loose, NAME_KINDS | SPELLING_KIND.loose, TIER.exactLoose);
  }
  if (collector.isFull()) return;
  const substringMatches = collectSubstringMatches(collector, whole.key, [
    { kinds: SPELLING_KIND.primary, place: WORD_PLACE.start, tier: TIER.wordStartPrimary },
    { kinds: SPELLING_KIND.localized, place: WORD_PLACE.start, tier: TIER.wordStartLocalized },
    { kinds: SPELLING_KIND.primary, place: WORD_PLACE.inside, tier: TIER.substringPrimary },
    { kinds: SPELLING_KIND.localized, place: WORD_PLACE.inside, tier: TIER.substringLocalized },
  ]);
  addSubstringMatches(collector, substringMatches, TIER.wordStartPrimary);
  addSubstringMatches(collector, substringMatches, TIER.wordStartLocalized);
  findByTerms(collector, terms, false);
  addSubstringMatches(collector, substringMatches, TIER.substringPrimary);
  addSubstringMatches(collector, substringMatches, TIER.substringLocalized);
  if (whole.number !== null) findByNumberStart(collector, whole.number);
  if (terms.length === 1) findByAbbreviation(collector, whole.key);
  findByOtherSpelling(collector, whole);
  findByTerms(collector, terms, true);
  findBySet(collector, whole);
  if (whole.number !== null) findByNumberEnd(collector, whole.number);
}

function findByOtherSpelling(collector: HitCollector, { key, loose, phonetic }: Term): void {
  if (loose !== '') {
    // If the loose key equals the exact key, the names were already searched for it.
    const kinds = loose === key ? SPELLING_KIND.loose : NAME_KINDS | SPELLING_KIND.loose;
    findPrefix(collector, loose, kinds, TIER.prefixLoose);
    findSubstring(collector, loose, kinds, TIER.wordStartLoose, TIER.substringLoose);
  }
  if (phonetic !== null && phonetic !== '') {
    findPrefix(collector, phonetic, SPELLING_KIND.phonetic, TIER.prefixPhonetic);
    if (isSearchableAsSubstring(phonetic)) {
      findSubstring(
        collector,
        phonetic,
        SPELLING_KIND.phonetic,
        TIER.wordStartPhonetic,
        TIER.substringPhonetic,
      );
    }
  }
}

function findSubstring(
  collector: HitCollector,
  key: string,
  kinds: number,
  wordStartTier: number,
  insideTier: number,
): void {
  if (collector.isFull()) return;
  const substringMatches = collectSubstringMatches(collector, key, [
    { kinds, place: WORD_PLACE.start, tier: wordStartTier },
    { kinds, place: WORD_PLACE.inside, tier: insideTier },
  ]);
  addSubstringMatches(collector, substringMatches, wordStartTier);
  addSubstringMatches(collector, substringMatches, insideTier);
}
