import { TablesBuilder } from './build-tables.ts';
import type { CardTables } from './card-tables.ts';
import { addMatches } from './find-matching.ts';
import { addSimilarMatches } from './find-similar.ts';
import { fold } from './fold.ts';
import type { Budget } from './gram-index.ts';
import { compareHits, type Hit, Search } from './search.ts';
import { parseQuery, type Query } from './query.ts';
import { SCORE } from './score.ts';
import type { SearchableCard } from './searchable-card.ts';

/** The maximum size of the newest layer. Each change rebuilds it, and searches wait 30 ms. */
export const LAYER_CARDS_MAX = 2_000;
const WORK_MAX = 1_500_000;
/** When words are dropped: the maximum number of words, and of searches for similar names. */
const WORDS_MAX = 8;
const SIMILAR_SEARCHES_MAX = 2;
const DIGITS = /^\d+$/;
const DASHED_TOTAL = /(?<=\d)-(?=\d)/g;

/** Maps the id of a changed card to the current card, or to null if it is inactive. */
type Changes = Map<string, SearchableCard | null>;

interface Layer {
  /** The changes of the layer, or null for the base. */
  readonly changes: Changes | null;
  readonly tables: CardTables;
}

export interface IndexSize {
  readonly base: number;
  readonly layered: number;
}

/** A base of all cards and layers of later changes. Newer layers hide the cards of older ones. */
export class SearchIndex {
  readonly #layers: Layer[];
  /** The changes of the newest layer that contains a card, by the card's id. */
  readonly #newest = new Map<string, Changes>();

  constructor(base: CardTables) {
    this.#layers = [{ changes: null, tables: base }];
  }

  static build(cards: Iterable<SearchableCard>): SearchIndex {
    return new SearchIndex(tablesOf(cards));
  }

  get size(): IndexSize {
    return { base: this.#layers[0]?.tables.ids.size ?? 0, layered: this.#newest.size };
  }

  /** Applies changes. `cards` are the active cards among `ids`; the others are inactive now. */
  apply(ids: readonly string[], cards: readonly SearchableCard[]): void {
    const last = this.#layers.at(-1)?.changes ?? null;
    const isExtended = last !== null && last.size + ids.length <= LAYER_CARDS_MAX;
    if (isExtended) this.#layers.pop();
    const changes: Changes = isExtended ? last : new Map();
    for (const id of ids) {
      changes.set(id, null);
      this.#newest.set(id, changes);
    }
    for (const card of cards) changes.set(card.id, card);
    const active = [...changes.values()].filter((card) => card !== null);
    this.#layers.push({ changes, tables: tablesOf(active) });
  }

  /** Returns ids, best first. If nothing matches, reads `025-165` as 025/165, then drops words. */
  find(text: string, limit: number): readonly string[] {
    const budget = { left: WORK_MAX };
    const find: FindText = (part, withSimilar) =>
      this.hits(part, limit, budget, withSimilar).map(({ id }) => id);
    const ids = find(text, true);
    if (ids.length > 0) return ids;
    const folded = fold(text).trim();
    const withTotal = folded.replaceAll(DASHED_TOTAL, '/');
    const numbered = withTotal === folded ? [] : find(withTotal, false);
    return numbered.length > 0 ? numbered : findPartial(folded, find);
  }

  /** Returns the hits of all layers, best first. Adds similar names if there are only weak hits. */
  hits(text: string, limit: number, budget: Budget, withSimilar: boolean): Hit[] {
    const query = parseQuery(text);
    if (query.whole.key === '') return [];
    const search = (find: (search: Search, query: Query) => void): Hit[] =>
      this.#layers.flatMap(({ changes, tables }) => {
        const isHidden = (id: string): boolean => (this.#newest.get(id) ?? null) !== changes;
        const layer = new Search(tables, limit, budget, isHidden);
        find(layer, query);
        return layer.hits();
      });
    const hits = search(addMatches);
    // A mistyped English name may happen to sound like a Japanese name (Hipopotas).
    const { inside, prefix } = SCORE.sound;
    const isWeak = withSimilar && hits.every(({ score }) => score >= inside && score <= prefix);
    const all = isWeak ? [...hits, ...search(addSimilarMatches)] : hits;
    const seen = new Set<string>();
    const isFirst = ({ id }: Hit): boolean => !seen.has(id) && seen.add(id).has(id);
    return all.toSorted(compareHits).filter(isFirst).slice(0, limit);
  }
}

function tablesOf(cards: Iterable<SearchableCard>): CardTables {
  const builder = new TablesBuilder();
  for (const card of cards) builder.add(card);
  return builder.build();
}

type FindText = (text: string, withSimilar: boolean) => string[];

/** Adds words one by one, longest first, and keeps those with which cards are still found. */
function findPartial(folded: string, find: FindText): string[] {
  const words = [...new Set(folded.split(/\s+/))].slice(0, WORDS_MAX);
  if (words.length < 2) return [];
  let kept: string[] = [];
  let found: string[] = [];
  let similarLeft = SIMILAR_SEARCHES_MAX;
  const weightOf = (word: string): number => (DIGITS.test(word) ? 0 : word.length);
  for (const word of words.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    // Digits alone do not identify a card: in `PSA 44` they are a certificate number.
    if (kept.length === 0 && DIGITS.test(word)) break;
    const tried = words.filter((each) => each === word || kept.includes(each));
    const next = find(tried.join(' '), kept.length === 0 && similarLeft-- > 0);
    if (next.length === 0) continue;
    kept = tried;
    found = next;
  }
  return found;
}
