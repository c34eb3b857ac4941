/** Statuses (spec 2.6, 3.3). The first four are in stock. Clients must accept unknown statuses. */
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

export const IN_STOCK_STATUSES: ReadonlySet<UnitStatus> = new Set([
  'in_stock',
  'reserved',
  'in_transit',
  'grading',
]);

export function isUnitStatus(word: string): word is UnitStatus {
  return UNIT_STATUSES.some((status) => status === word);
}

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

export function canChangeStatus(from: UnitStatus, to: UnitStatus): boolean {
  return from === to || NEXT[from].includes(to);
}

/** Returns the allowed next statuses in the order of `UNIT_STATUSES`; none for a final status. */
export function nextStatuses(from: UnitStatus): readonly UnitStatus[] {
  return NEXT[from];
}
