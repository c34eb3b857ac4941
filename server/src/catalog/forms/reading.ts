import { readCatalogLine } from '../catalog-line.ts';
import type { Card } from '../card.ts';
import type { CatalogEntry } from '../entry.ts';
import type { FormReading, PassedOverReason } from './form.ts';

/** Entries that one element may make. The most reprinted cards have some hundred printings. */
const ENTRIES_OF_ELEMENT_MAX = 1_000;

/** A card as a form makes it: what its source holds may be missing, of another kind, or beyond our bounds. */
export type CardDraft = { readonly [K in keyof Card]: unknown };

/** The reading of an element that makes these cards, checked by the rules of our own lines. One bad card refuses all. */
export function readDrafts(drafts: readonly CardDraft[]): FormReading {
  if (drafts.length > ENTRIES_OF_ELEMENT_MAX) {
    return { kind: 'refused', reason: `It makes more than ${ENTRIES_OF_ELEMENT_MAX} cards.` };
  }
  const entries = new Map<string, CatalogEntry>();
  for (const draft of drafts) {
    const reading = readCatalogLine(draft);
    if (!reading.ok) return { kind: 'refused', reason: reading.fault };
    // Of printings that their source does not tell apart the last wins, as it does over lines.
    if (reading.value.kind !== 'card') continue;
    // Sources do not say what a shop no longer wants to see: what was switched off by hand stays off.
    entries.set(reading.value.card.id, { ...reading.value, isActive: null });
  }
  return { kind: 'entries', entries: [...entries.values()] };
}

/** The reading of an element that is no card of a shop. */
export function passOver(reason: PassedOverReason): FormReading {
  return { kind: 'passed_over', reason };
}

/** The reading of an element that is not of its form. */
export function refuseElement(reason: string): FormReading {
  return { kind: 'refused', reason };
}
