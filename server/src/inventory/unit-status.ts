/** Spec 2.6, 3.3: clients must accept others. The first four are in stock, the others are not. */
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

/** `returned` and `voided` are final. */
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

/** The same status again is always allowed. */
export function canChangeStatus(from: UnitStatus, to: UnitStatus): boolean {
  return from === to || NEXT[from].includes(to);
}

/** In the order of `UNIT_STATUSES`; empty for final ones. */
export function nextStatuses(from: UnitStatus): readonly UnitStatus[] {
  return NEXT[from];
}
