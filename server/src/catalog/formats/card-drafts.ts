import { readCatalogLine } from '../catalog-line.ts';
import type { Card } from '../card.ts';
import type { CatalogEntry } from '../entry.ts';
import { ID_SOURCES, type IdSource } from '../external-id.ts';
import type { ElementResult, PassedOverReason } from './format.ts';

/** Limits the cards of an element. The most reprinted cards have some hundred printings. */
const ENTRIES_OF_ELEMENT_MAX = 1_000;

/** A card that is not validated: members may be missing, of the wrong type or out of bounds. */
export type CardDraft = { readonly [K in keyof Card]: unknown };

/** What an external id may look like. Other values are ignored. */
const EXTERNAL_ID = /^[\u0021-\u007e\u00a0-\ud7ff]{1,100}$/;

/**
 * Validates the cards of one element by the rules of Cardport's format. A single invalid card
 * refuses the complete element.
 *
 * @param ids how other systems identify the element; null where the element does not say
 */
export function readDrafts(
  drafts: readonly CardDraft[],
  ids: Partial<Record<IdSource, string | null>>,
): ElementResult {
  if (drafts.length > ENTRIES_OF_ELEMENT_MAX) {
    return { kind: 'refused', reason: `It contains more than ${ENTRIES_OF_ELEMENT_MAX} cards.` };
  }
  const externalIds = ID_SOURCES.flatMap((source) => {
    const id = ids[source] ?? '';
    return EXTERNAL_ID.test(id) ? [{ source, id }] : [];
  });
  const entries = new Map<string, CatalogEntry>();
  for (const draft of drafts) {
    const reading = readCatalogLine(draft);
    if (!reading.ok) return { kind: 'refused', reason: reading.problem };
    // Of several printings with the same id the last wins, as it does across lines.
    if (reading.value.kind !== 'card') continue;
    // Sources do not know which cards an operator switched off; null keeps those off.
    entries.set(reading.value.card.id, { ...reading.value, isActive: null, externalIds });
  }
  return { kind: 'entries', entries: [...entries.values()] };
}

export function passOver(reason: PassedOverReason): ElementResult {
  return { kind: 'passed_over', reason };
}

export function refuseElement(reason: string): ElementResult {
  return { kind: 'refused', reason };
}
