import type { UnitStatus } from '../../inventory/unit-status.ts';

/** The statuses that need confirmation: two are final, and one writes a unit off as lost. */
const CONFIRMED_STATUSES = [
  'returned',
  'voided',
  'written_off',
] as const satisfies readonly UnitStatus[];
export type ConfirmedStatus = (typeof CONFIRMED_STATUSES)[number];

/** Returns the status if it needs confirmation, otherwise null. */
export function parseConfirmedStatus(status: string | undefined): ConfirmedStatus | null {
  return CONFIRMED_STATUSES.find((each) => each === status) ?? null;
}
