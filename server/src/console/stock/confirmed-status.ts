import type { UnitStatus } from '../../inventory/unit-status.ts';

/** Statuses that need confirmation: two that are final, and one that writes a unit off as lost. */
const CONFIRMED_STATUSES = [
  'returned',
  'voided',
  'written_off',
] as const satisfies readonly UnitStatus[];
export type ConfirmedStatus = (typeof CONFIRMED_STATUSES)[number];

/** The status if it needs confirmation, else null. */
export function parseConfirmedStatus(status: string | undefined): ConfirmedStatus | null {
  return CONFIRMED_STATUSES.find((each) => each === status) ?? null;
}
