import type { HitCollector } from './hit-collector.ts';
import { membersOf } from './grouped.ts';
import { labelsNamed, labelsWithCode } from './label-table.ts';
import type { Term } from './query.ts';
import { TIER } from './tier.ts';

/** Adds the cards of the sets whose code or name matches, in the order of card numbers. */
export function findBySet(collector: HitCollector, term: Term): void {
  const { sets } = collector.tables;
  addSets(collector, new Set(labelsWithCode(sets, term.runs)), TIER.setCode);
  addSets(collector, labelsNamed(sets, term.key, term.loose), TIER.setName);
}

function addSets(collector: HitCollector, sets: ReadonlySet<number>, tier: number): void {
  const { cardsOfSet } = collector.tables;
  const first: number[] = [];
  for (const set of sets) {
    let wanted = collector.limit;
    for (const card of membersOf(cardsOfSet, set)) {
      if (wanted === 0) break;
      if (!collector.accepts(card)) continue;
      first.push(card);
      wanted--;
    }
  }
  for (const card of first.toSorted((a, b) => a - b)) collector.add(card, tier, '');
}
