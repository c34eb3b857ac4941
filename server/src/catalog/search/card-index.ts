import { TablesBuilder } from './build-tables.ts';
import type { CardTables } from './card-tables.ts';
import { findByBeginnings } from './find-by-beginnings.ts';
import { addInside, collectInside, findExact, findPrefix } from './find-by-name.ts';
import { findByNumber, findByNumberEnd, findByNumberStart } from './find-by-number.ts';
import { findBySet } from './find-by-set.ts';
import { findByTerms } from './find-by-terms.ts';
import { findSimilarStarts } from './find-similar-starts.ts';
import { findSimilarTerms } from './find-similar-terms.ts';
import { findSimilarNames, type SimilarTo } from './find-similar.ts';
import { Finding } from './finding.ts';
import { SPELLING, OWN } from './spelling.ts';
import { type Hit, hitOf } from './hit.ts';
import type { SearchQuery, Term } from './query.ts';
import type { SearchableCard } from './searchable-card.ts';
import { isWorthSeekingInside } from './sound.ts';
import { TIER } from './tier.ts';

export { compareHits, type Hit, wantsSimilar } from './hit.ts';
export { parseQuery, type SearchQuery } from './query.ts';
export type { SearchableCard } from './searchable-card.ts';

/** An immutable index that finds cards by name, number, set and rarity. It does no I/O. */
export class CardIndex {
  readonly #tables: CardTables;

  private constructor(tables: CardTables) {
    this.#tables = tables;
  }

  /** Builds the index. Card ids are uuids, each once. */
  static build(cards: Iterable<SearchableCard>): CardIndex {
    const builder = new TablesBuilder();
    for (const card of cards) builder.add(card);
    return new CardIndex(builder.build());
  }

  get size(): number {
    return this.#tables.size;
  }

  /**
   * The best `limit` cards for a query, best first; none for a blank one. `isHidden` excludes cards
   * that a newer index answers for. The hits of several indexes, sorted by `compareHits`, equal
   * those of one index of all their cards.
   */
  find(query: SearchQuery, limit: number, isHidden?: (id: string) => boolean): Hit[] {
    const finding = new Finding(this.#tables, limit, isHidden);
    if (query.whole.key !== '') findAll(finding, query);
    return finding.found.map((found) => hitOf(this.#tables, found));
  }

  /**
   * Finds cards in three steps: a name that differs from the query by one slip, or by two from 8
   * characters on; a name or a word that begins with the query but for such slips; all terms, some
   * with a slip. Call it only when `wantsSimilar` is true for the hits of all indexes.
   */
  findSimilar(query: SearchQuery, limit: number, isHidden?: (id: string) => boolean): Hit[] {
    const finding = new Finding(this.#tables, limit, isHidden);
    const keys = similarKeysOf(query.whole);
    findSimilarNames(finding, keys);
    findSimilarStarts(finding, keys);
    findSimilarTerms(finding, query.terms);
    return finding.found.map((found) => hitOf(this.#tables, found));
  }
}

/** The texts to compare names with, each once with its kinds. */
function similarKeysOf({ key, loose, sound }: Term): SimilarTo[] {
  const kindsOf = new Map([[key, OWN]]);
  kindsOf.set(loose, (kindsOf.get(loose) ?? 0) | OWN | SPELLING.loose);
  if (sound !== null) kindsOf.set(sound, (kindsOf.get(sound) ?? 0) | SPELLING.sound);
  return [...kindsOf].map(([text, kinds]) => ({ key: text, kinds }));
}

/** Runs the tiers in order (`TIER`). Each tier stops when the page is full. */
function findAll(finding: Finding, { whole, terms }: SearchQuery): void {
  if (whole.number !== null) findByNumber(finding, whole.number);
  findExact(finding, whole.key, SPELLING.primary, TIER.exactPrimary);
  findExact(finding, whole.key, SPELLING.localized, TIER.exactLocalized);
  if (whole.sound !== null) findExact(finding, whole.sound, SPELLING.sound, TIER.exactSound);
  findPrefix(finding, whole.key, SPELLING.primary, TIER.prefixPrimary);
  findPrefix(finding, whole.key, SPELLING.localized, TIER.prefixLocalized);
  if (whole.loose !== '') findExact(finding, whole.loose, OWN | SPELLING.loose, TIER.exactLoose);
  if (finding.isFull()) return;
  const inside = collectInside(finding, whole.key, [
    { kinds: SPELLING.primary, isWordStart: true, tier: TIER.wordStartPrimary },
    { kinds: SPELLING.localized, isWordStart: true, tier: TIER.wordStartLocalized },
    { kinds: SPELLING.primary, isWordStart: false, tier: TIER.insidePrimary },
    { kinds: SPELLING.localized, isWordStart: false, tier: TIER.insideLocalized },
  ]);
  addInside(finding, inside, TIER.wordStartPrimary);
  addInside(finding, inside, TIER.wordStartLocalized);
  findByTerms(finding, terms, false);
  addInside(finding, inside, TIER.insidePrimary);
  addInside(finding, inside, TIER.insideLocalized);
  if (whole.number !== null) findByNumberStart(finding, whole.number);
  if (terms.length === 1) findByBeginnings(finding, whole.key);
  findLoosely(finding, whole);
  findByTerms(finding, terms, true);
  findBySet(finding, whole);
  if (whole.number !== null) findByNumberEnd(finding, whole.number);
}

/** Names with another spelling, then names by their sound. */
function findLoosely(finding: Finding, { key, loose, sound }: Term): void {
  if (loose !== '') {
    // The exact key was already searched among the names.
    const kinds = loose === key ? SPELLING.loose : OWN | SPELLING.loose;
    findPrefix(finding, loose, kinds, TIER.prefixLoose);
    findInside(finding, loose, kinds, TIER.wordStartLoose, TIER.insideLoose);
  }
  if (sound !== null && sound !== '') {
    findPrefix(finding, sound, SPELLING.sound, TIER.prefixSound);
    if (isWorthSeekingInside(sound)) {
      findInside(finding, sound, SPELLING.sound, TIER.wordStartSound, TIER.insideSound);
    }
  }
}

function findInside(
  finding: Finding,
  key: string,
  kinds: number,
  wordStartTier: number,
  insideTier: number,
): void {
  if (finding.isFull()) return;
  const inside = collectInside(finding, key, [
    { kinds, isWordStart: true, tier: wordStartTier },
    { kinds, isWordStart: false, tier: insideTier },
  ]);
  addInside(finding, inside, wordStartTier);
  addInside(finding, inside, insideTier);
}
