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

/** Finds cards by name, number, set and rarity. It never changes and does no I/O. */
export class CardIndex {
  readonly #tables: CardTables;

  private constructor(tables: CardTables) {
    this.#tables = tables;
  }

  /** Builds the index of cards whose ids are uuids, each once. */
  static build(cards: Iterable<SearchableCard>): CardIndex {
    const builder = new TablesBuilder();
    for (const card of cards) builder.add(card);
    return new CardIndex(builder.build());
  }

  /** How many cards it holds. */
  get size(): number {
    return this.#tables.size;
  }

  /**
   * The best `limit` cards for a query, best first; none for a blank one. `isHidden`: cards that another, newer index
   * answers for. The hits of several indexes, ordered by `compareHits`, are those of one index of all their cards.
   */
  find(query: SearchQuery, limit: number, isHidden?: (id: string) => boolean): Hit[] {
    const finding = new Finding(this.#tables, limit, isHidden);
    if (query.whole.key !== '') findAll(finding, query);
    return finding.found.map((found) => hitOf(this.#tables, found));
  }

  /**
   * Cards with a name that differs from the query by one slip, or by two in 8 characters and more; then those whose name
   * begins so, or has a word that does; then those of which all terms are true, some but for a slip. Only asked when the
   * hits of all indexes say so (`wantsSimilar`).
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

/** What names are compared with for slips, each text once. */
function similarKeysOf({ key, loose, sound }: Term): SimilarTo[] {
  const kindsOf = new Map([[key, OWN]]);
  kindsOf.set(loose, (kindsOf.get(loose) ?? 0) | OWN | SPELLING.loose);
  if (sound !== null) kindsOf.set(sound, (kindsOf.get(sound) ?? 0) | SPELLING.sound);
  return [...kindsOf].map(([text, kinds]) => ({ key: text, kinds }));
}

/** The tiers in their order (`TIER`). Each adds only what it must until the page is full. */
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

/** Names that are spelled otherwise, then names as they sound. */
function findLoosely(finding: Finding, { key, loose, sound }: Term): void {
  if (loose !== '') {
    // What the key itself finds among the names was found already.
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
