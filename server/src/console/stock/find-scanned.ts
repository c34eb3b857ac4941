import { fold } from '../../card-search/fold.ts';
import { parseIdentifier } from '../../catalog/identifier.ts';
import type {
  CatalogEntry,
  CatalogKind,
  CatalogLookup,
  LookupResult,
} from '../parts/catalog-lookup.ts';
import type { RequestContext } from '../request-context.ts';

export interface FoundEntry extends CatalogEntry {
  readonly kind: CatalogKind;
}

/** The cards and products for a text. `several` has at least one entry. */
export type ScanResult =
  | { readonly kind: 'one'; readonly entry: FoundEntry }
  | { readonly kind: 'several'; readonly entries: readonly FoundEntry[] }
  | { readonly kind: 'nothing' | Exclude<LookupResult['kind'], 'found'> };

/**
 * Finds the card or product that was scanned or typed: the only entry with exactly this code,
 * number or name, or else the only hit. If the text is a code or id that no entry has, a single hit
 * is only offered as a choice.
 */
export async function findScannedEntry(
  lookup: CatalogLookup,
  context: RequestContext,
  text: string,
): Promise<ScanResult> {
  const [cards, products] = await Promise.all([
    lookup.search('card', context, text),
    lookup.search('product', context, text),
  ]);
  if (cards.kind !== 'found') return cards;
  if (products.kind !== 'found') return products;
  const entries = [
    ...cards.options.map((entry) => ({ ...entry, kind: 'card' as const })),
    ...products.options.map((entry) => ({ ...entry, kind: 'product' as const })),
  ];
  const identifier = parseIdentifier(text);
  const isExact = exactMatcher(text, identifier);
  const exact = entries.filter((entry) => entry.exact.some(isExact));
  const found = exact.length > 0 ? exact : entries;
  const [entry] = found;
  if (entry === undefined) return { kind: 'nothing' };
  const isMeant = found.length === 1 && (exact.length === 1 || identifier === null);
  return isMeant ? { kind: 'one', entry } : { kind: 'several', entries: found };
}

function exactMatcher(
  text: string,
  identifier: ReturnType<typeof parseIdentifier>,
): (own: string) => boolean {
  const typed = fold(text.trim());
  const codes: readonly string[] = identifier?.kind === 'jan' ? identifier.codes : [];
  const id = identifier?.kind === 'id' ? identifier.id : null;
  return (own) => fold(own) === typed || codes.includes(own) || own === id;
}
