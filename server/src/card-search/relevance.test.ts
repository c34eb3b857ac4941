// Measures how well real queries find real cards, and prints a table by class of query. The test is
// skipped without its data, which is not part of the repository.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { shopCounterQueries, isWanted } from '../../test/shop-counter-queries.ts';
import { judgedQueries } from '../../test/judged-queries.ts';
import { toSearchableCard } from '../../test/searchable-card.ts';
import type { Card } from '../catalog/card.ts';
import { parseIdentifier } from '../catalog/identifier.ts';
import { SearchIndex } from './search-index.ts';
import type { SearchableCard } from './searchable-card.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const isAbsent = !existsSync(join(DATA, 'cards.dev.jsonl.gz'));
/** The page size of GET /cards (spec 4.8). */
const LIMIT = 25;

interface AskedQuery {
  readonly cls: string;
  readonly q: string;
  readonly relevant?: readonly string[];
  readonly nRel?: number;
  /** The relevant cards that must come first. If absent, all relevant cards must come first. */
  readonly best?: readonly string[];
  readonly expect?: 'any' | 'empty';
}

interface Catalog {
  readonly byId: ReadonlyMap<string, Card>;
  readonly cards: readonly SearchableCard[];
  readonly index: SearchIndex;
  readonly idsByJan: ReadonlyMap<string, readonly string[]>;
  readonly ids: ReadonlySet<string>;
}

function readCatalog(): Catalog {
  const lines = gunzipSync(readFileSync(join(DATA, 'cards.dev.jsonl.gz')))
    .toString()
    .trim();
  const idsByJan = new Map<string, string[]>();
  const byId = new Map<string, Card>();
  const cards = lines.split('\n').map((line): SearchableCard => {
    const card: Card = JSON.parse(line);
    const { id, janCode } = card;
    byId.set(id, card);
    if (janCode !== null) idsByJan.set(janCode, [...(idsByJan.get(janCode) ?? []), id]);
    return toSearchableCard(card);
  });
  const ids = new Set(cards.map(({ id }) => id));
  return { byId, cards, index: SearchIndex.build(cards), idsByJan, ids };
}

/** Searches as the service does: by JAN and id, then in the index. */
function search({ index, idsByJan, ids }: Catalog, text: string): string[] {
  const identifier = parseIdentifier(text);
  if (identifier?.kind === 'id' && ids.has(identifier.id)) return [identifier.id];
  if (identifier?.kind === 'jan') {
    const found = identifier.codes.flatMap((code) => idsByJan.get(code) ?? []);
    if (found.length > 0) return found.slice(0, LIMIT);
  }
  return [...index.find(text, LIMIT)];
}

interface Score {
  readonly recall: number;
  readonly reciprocalRank: number;
}

function scoreOf(found: readonly string[], asked: AskedQuery): Score {
  if (asked.expect === 'any') return { recall: 1, reciprocalRank: 1 };
  if (asked.expect === 'empty') {
    const score = found.length === 0 ? 1 : 0;
    return { recall: score, reciprocalRank: score };
  }
  const relevant = new Set(asked.relevant);
  const best = new Set(asked.best ?? asked.relevant);
  const hits = found.filter((id) => relevant.has(id)).length;
  const first = found.findIndex((id) => best.has(id));
  return {
    recall: Math.min(1, hits / Math.min(LIMIT, asked.nRel ?? relevant.size)),
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('search over real cards (specification 4.8)', { skip: isAbsent }, () => {
  const catalog = isAbsent ? null : readCatalog();

  it('the search finds the intended cards of each query class: recall@25 0.999, MRR 0.99, no class below 0.95', () => {
    assert.ok(catalog !== null);
    const text = gunzipSync(readFileSync(join(DATA, 'queries.dev.json.gz'))).toString();
    const asked: AskedQuery[] = JSON.parse(text);
    const scores = asked.map((each) => ({ ...each, ...scoreOf(search(catalog, each.q), each) }));
    const classes = Map.groupBy(scores, ({ cls }) => cls);
    const table = [...classes].map(([cls, each]) => ({
      cls,
      count: each.length,
      recall: meanOf(each.map(({ recall }) => recall)),
      rank: meanOf(each.map(({ reciprocalRank }) => reciprocalRank)),
    }));
    for (const { cls, count, recall, rank } of table) {
      console.log(
        `${cls.padEnd(18)} ${String(count).padStart(3)} ${recall.toFixed(3)} ${rank.toFixed(3)}`,
      );
    }
    const recall = meanOf(table.map((each) => each.recall));
    const rank = meanOf(table.map((each) => each.rank));
    console.log(`macro recall@25 ${recall.toFixed(4)}, MRR ${rank.toFixed(4)}`);
    assert.ok(recall >= 0.999, `macro recall@25 is ${recall}`);
    assert.ok(rank >= 0.99, `macro MRR is ${rank}`);
    for (const { cls, recall: ofClass } of table) assert.ok(ofClass >= 0.95, `${cls}: ${ofClass}`);
  });

  it('the search finds the intended cards for abbreviations, typos and alternative spellings', () => {
    assert.ok(catalog !== null);
    const scores = judgedQueries.map(({ query, isRelevant: isMeant }) => {
      const meant = new Set(catalog.cards.filter(isMeant).map(({ id }) => id));
      const found = search(catalog, query);
      const hits = found.filter((id) => meant.has(id)).length;
      const first = found.findIndex((id) => meant.has(id)) + 1;
      const recall = meant.size === 0 ? 0 : hits / Math.min(LIMIT, meant.size);
      console.log(
        `${recall.toFixed(2)} first ${first} of ${found.length}, meant ${meant.size}: ${query}`,
      );
      return { query, recall, first };
    });
    const recall = meanOf(scores.map((each) => each.recall));
    console.log(`${scores.length} judged queries: recall@25 ${recall.toFixed(3)}`);
    // This minimum is slightly below the current value, so a change that breaks several queries
    // fails.
    assert.ok(recall >= 0.9, `recall@25 is ${recall}`);
  });

  it('for queries as typed at a counter, 9 of 10 wanted cards come first, and no page is empty', () => {
    assert.ok(catalog !== null);
    const cards = [...catalog.byId.values()];
    const isMissed = shopCounterQueries.filter(([query, wanted]) => {
      assert.ok(
        cards.some((card) => isWanted(card, wanted)),
        `no card is wanted: ${query}`,
      );
      const [first] = search(catalog, query);
      assert.ok(first !== undefined, `an empty page: ${query}`);
      const card = catalog.byId.get(first);
      return card === undefined || !isWanted(card, wanted);
    });
    console.log(`not first: ${isMissed.map(([query]) => query).join(', ')}`);
    assert.ok(shopCounterQueries.length >= 200);
    assert.ok(isMissed.length <= shopCounterQueries.length / 10, `${isMissed.length} are missed`);
  });
});
