import type { UnitStatus } from '../../inventory/unit-status.ts';
import type { Language } from '../../html/language.ts';
import { parseConfirmedStatus } from './confirmed-status.ts';
import { transitionName } from './status-text.ts';

/** The bulk actions on units, except moving them to a place. */
export const BULK_ACTIONS = ['sell', 'reserve', 'release', 'write_off'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** `release` starts only from `reserved`, so that a bulk form cannot undo sales. */
export const BULK_TRANSITIONS: Readonly<
  Record<BulkAction, { readonly from: readonly UnitStatus[]; readonly to: UnitStatus }>
> = {
  reserve: { from: ['in_stock'], to: 'reserved' },
  release: { from: ['reserved'], to: 'in_stock' },
  sell: { from: ['in_stock', 'reserved'], to: 'sold' },
  write_off: { from: ['in_stock'], to: 'written_off' },
};

export function parseBulkAction(word: string | undefined): BulkAction | null {
  return BULK_ACTIONS.find((action) => action === word) ?? null;
}

export function bulkActionName(action: BulkAction, language: Language): string {
  const { from, to } = BULK_TRANSITIONS[action];
  return transitionName(from[0] ?? 'in_stock', to, language);
}

export function needsConfirmation(action: BulkAction): boolean {
  return parseConfirmedStatus(BULK_TRANSITIONS[action].to) !== null;
}
