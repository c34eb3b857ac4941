import type { UnitStatus } from '../../inventory/unit-status.ts';

/** Statuses that need confirmation: two that are final, and one that writes a unit off as lost. */
const ASKED_STATUSES = [
  'returned',
  'voided',
  'written_off',
] as const satisfies readonly UnitStatus[];
export type AskedStatus = (typeof ASKED_STATUSES)[number];

/** The status if it needs confirmation, else null. */
export function askedStatus(status: string | undefined): AskedStatus | null {
  return ASKED_STATUSES.find((each) => each === status) ?? null;
}
