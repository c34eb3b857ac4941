import type { UnitStatus } from '../../inventory/unit-status.ts';
import type { Language } from '../../pages/language.ts';
import { askedStatus } from './asked-status.ts';
import { moveName } from './status-words.ts';

/** Actions on several units at once, except moving them to a place. */
export const BULK_MOVES = ['reserve', 'release', 'sell', 'write_off'] as const;
export type BulkMove = (typeof BULK_MOVES)[number];

/**
 * The statuses that each action starts from and leads to. `release` starts only from `reserved`, so
 * that a bulk form cannot undo sales.
 */
export const BULK_WAYS: Readonly<
  Record<BulkMove, { readonly from: readonly UnitStatus[]; readonly to: UnitStatus }>
> = {
  reserve: { from: ['in_stock'], to: 'reserved' },
  release: { from: ['reserved'], to: 'in_stock' },
  sell: { from: ['in_stock', 'reserved'], to: 'sold' },
  write_off: { from: ['in_stock'], to: 'written_off' },
};

/** The action in a form, or null when it is not one of these. */
export function parseBulkMove(word: string | undefined): BulkMove | null {
  return BULK_MOVES.find((move) => move === word) ?? null;
}

export function bulkName(move: BulkMove, language: Language): string {
  const { from, to } = BULK_WAYS[move];
  return moveName(from[0] ?? 'in_stock', to, language);
}

/** True for actions that need confirmation. */
export function isAsked(move: BulkMove): boolean {
  return askedStatus(BULK_WAYS[move].to) !== null;
}
