import type { UnitStatus } from '../../inventory/unit-status.ts';
import type { Language } from '../../pages/language.ts';
import { askedStatus } from './asked-status.ts';
import { moveName } from './status-words.ts';

/** What may be done with several units at once, beside moving them to a place. */
export const BULK_MOVES = ['reserve', 'release', 'sell', 'write_off'] as const;
export type BulkMove = (typeof BULK_MOVES)[number];

/** Where each leads, and from where: one that leads back into stock must not undo sales in passing. */
export const BULK_WAYS: Readonly<
  Record<BulkMove, { readonly from: readonly UnitStatus[]; readonly to: UnitStatus }>
> = {
  reserve: { from: ['in_stock'], to: 'reserved' },
  release: { from: ['reserved'], to: 'in_stock' },
  sell: { from: ['in_stock', 'reserved'], to: 'sold' },
  write_off: { from: ['in_stock'], to: 'written_off' },
};

/** What a form sent, or null when it is none of these. */
export function parseBulkMove(word: string | undefined): BulkMove | null {
  return BULK_MOVES.find((move) => move === word) ?? null;
}

export function bulkName(move: BulkMove, language: Language): string {
  const { from, to } = BULK_WAYS[move];
  return moveName(from[0] ?? 'in_stock', to, language);
}

/** True for what is asked once more before it is done. */
export function isAsked(move: BulkMove): boolean {
  return askedStatus(BULK_WAYS[move].to) !== null;
}
