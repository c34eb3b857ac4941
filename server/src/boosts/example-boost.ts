import { EXAMPLE_BOOST_CARD } from '../catalog/example-entries.ts';

/** An example of a boost for any grade (spec 2.3). */
export const EXAMPLE_BOOST = {
  id: 'd2704163-9eaf-4db0-9bc2-4d5e6f7a8b09',
  target: { kind: 'card', card: EXAMPLE_BOOST_CARD, grade: null },
  priceMinor: 90_000,
  currency: 'JPY',
  remainingQuantity: 3,
  status: 'open',
  startsAt: null,
  endsAt: '2026-06-30T15:00:00.000Z',
  note: '美品は高価買取',
  updatedAt: '2026-05-21T03:00:00.000Z',
};
