import { readCatalogLine } from '../catalog-line.ts';
import type { Card } from '../card.ts';
import type { CatalogEntry } from '../entry.ts';
import { ID_SOURCES, type IdSource } from '../external-id.ts';
import type { ElementResult, SkipReason } from './format.ts';

/** The maximum number of cards per element. The most reprinted cards have a few hundred. */
const ENTRIES_OF_ELEMENT_MAX = 1_000;

/** A card before validation: members may be missing, of the wrong type or out of bounds. */
export type CardDraft = { readonly [K in keyof Card]: unknown };

/** The format of an external id. Other values are ignored. */
const EXTERNAL_ID = /^[\u0021-\u007e\u00a0-\ud7ff]{1,100}$/;

/** The rules of Cardport's own format apply. If one card is invalid, the element is refused. */
export function validateDrafts(
  drafts: readonly CardDraft[],
  ids: Partial<Record<IdSource, string | null>>,
): ElementResult {
  if (drafts.length > ENTRIES_OF_ELEMENT_MAX) {
    const reason = `An element must have at most ${ENTRIES_OF_ELEMENT_MAX} cards.`;
    return { kind: 'refused', reason };
  }
  const externalIds = ID_SOURCES.flatMap((source) => {
    const id = ids[source] ?? '';
    return EXTERNAL_ID.test(id) ? [{ source, id }] : [];
  });
  const entries = new Map<string, CatalogEntry>();
  for (const draft of drafts) {
    const reading = readCatalogLine(draft);
    if (!reading.ok) return { kind: 'refused', reason: reading.problem };
    // If several cards have the same id, the last one is used, as with several lines.
    if (reading.value.kind !== 'card') continue;
    // `isActive` is null, so that a card that an operator has deactivated stays inactive.
    entries.set(reading.value.card.id, { ...reading.value, isActive: null, externalIds });
  }
  return { kind: 'entries', entries: [...entries.values()] };
}

export function skipElement(reason: SkipReason): ElementResult {
  return { kind: 'skipped', reason };
}

export function refuseElement(reason: string): ElementResult {
  return { kind: 'refused', reason };
}
