import type { UnitStatus } from '../../inventory/unit-status.ts';

/** Statuses that are asked for twice: two that a unit never leaves, and one that takes it out of stock as lost. */
const ASKED_STATUSES = [
  'returned',
  'voided',
  'written_off',
] as const satisfies readonly UnitStatus[];
export type AskedStatus = (typeof ASKED_STATUSES)[number];

/** A status that is asked for twice, or null for the others. */
export function askedStatus(status: string | undefined): AskedStatus | null {
  return ASKED_STATUSES.find((each) => each === status) ?? null;
}
