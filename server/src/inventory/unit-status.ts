/** Where a unit stands (open set on the wire): the first four are in stock, the others have left it. */
export const UNIT_STATUSES = [
  'in_stock',
  'reserved',
  'in_transit',
  'grading',
  'sold',
  'returned',
  'written_off',
  'voided',
] as const;

export type UnitStatus = (typeof UNIT_STATUSES)[number];

/** The statuses of what the shop has: the others have left its stock. */
export const IN_STOCK_STATUSES: ReadonlySet<UnitStatus> = new Set([
  'in_stock',
  'reserved',
  'in_transit',
  'grading',
]);

/** True when `word` is a status. */
export function isUnitStatus(word: string): word is UnitStatus {
  return UNIT_STATUSES.some((status) => status === word);
}

/** From each status, where a unit may go. `returned` and `voided` are final. */
const NEXT: Readonly<Record<UnitStatus, readonly UnitStatus[]>> = {
  in_stock: ['reserved', 'in_transit', 'grading', 'sold', 'returned', 'written_off', 'voided'],
  reserved: ['in_stock', 'sold', 'voided'],
  in_transit: ['in_stock', 'voided'],
  grading: ['in_stock', 'voided'],
  sold: ['in_stock', 'voided'],
  written_off: ['in_stock', 'voided'],
  returned: [],
  voided: [],
};

/** True when a unit may go from one status to the other; the same status again is no change and always may. */
export function canChangeStatus(from: UnitStatus, to: UnitStatus): boolean {
  return from === to || NEXT[from].includes(to);
}

/** Where a unit may go from a status, in the order of the statuses; none from those that are final. */
export function nextStatuses(from: UnitStatus): readonly UnitStatus[] {
  return NEXT[from];
}
