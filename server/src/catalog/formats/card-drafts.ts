import { readCatalogLine } from '../catalog-line.ts';
import type { Card } from '../card.ts';
import type { CatalogEntry } from '../entry.ts';
import type { ElementResult, PassedOverReason } from './format.ts';

/** Limits the cards of an element. The most reprinted cards have some hundred printings. */
const ENTRIES_OF_ELEMENT_MAX = 1_000;

/** A card that is not validated: members may be missing, of the wrong type or out of bounds. */
export type CardDraft = { readonly [K in keyof Card]: unknown };

/**
 * Validates the cards of one element by the rules of Cardport's format. A single invalid card
 * refuses the complete element.
 */
export function readDrafts(drafts: readonly CardDraft[]): ElementResult {
  if (drafts.length > ENTRIES_OF_ELEMENT_MAX) {
    return { kind: 'refused', reason: `It contains more than ${ENTRIES_OF_ELEMENT_MAX} cards.` };
  }
  const entries = new Map<string, CatalogEntry>();
  for (const draft of drafts) {
    const reading = readCatalogLine(draft);
    if (!reading.ok) return { kind: 'refused', reason: reading.problem };
    // Of several printings with the same id the last wins, as it does across lines.
    if (reading.value.kind !== 'card') continue;
    // Sources do not know which cards an operator switched off; null keeps those off.
    entries.set(reading.value.card.id, { ...reading.value, isActive: null });
  }
  return { kind: 'entries', entries: [...entries.values()] };
}

export function passOver(reason: PassedOverReason): ElementResult {
  return { kind: 'passed_over', reason };
}

export function refuseElement(reason: string): ElementResult {
  return { kind: 'refused', reason };
}
