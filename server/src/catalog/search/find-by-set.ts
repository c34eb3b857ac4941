import type { Finding } from './finding.ts';
import { membersOf } from './grouped.ts';
import { labelsNamed, labelsWithCode } from './label-table.ts';
import type { Term } from './query.ts';
import { TIER } from './tier.ts';

/** Cards of the sets with the typed code or name, in the order of their numbers. */
export function findBySet(finding: Finding, term: Term): void {
  const { sets } = finding.tables;
  addSets(finding, new Set(labelsWithCode(sets, term.runs)), TIER.setCode);
  addSets(finding, labelsNamed(sets, term.key, term.loose), TIER.setName);
}

function addSets(finding: Finding, sets: ReadonlySet<number>, tier: number): void {
  const { cardsOfSet } = finding.tables;
  const first: number[] = [];
  for (const set of sets) {
    let wanted = finding.limit;
    for (const card of membersOf(cardsOfSet, set)) {
      if (wanted === 0) break;
      if (!finding.accepts(card)) continue;
      first.push(card);
      wanted--;
    }
  }
  for (const card of first.toSorted((a, b) => a - b)) finding.add(card, tier, '');
}
