import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  changeResponses,
  replaceWith,
  REMOVED,
  remove,
  changeJson,
  changeList,
  replaceError,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  queryOf,
  changeRequests,
  withJson,
  withQuery,
} from './edits.ts';

const BOOSTS = 'GET /purchase-boosts';
const NOTE_201 = 'あ'.repeat(201);

/** Swaps two neighbors that have the same price. */
function swapTies(boosts: readonly unknown[]): readonly unknown[] {
  const at = boosts.findIndex((boost, index) => priceOf(boost) === priceOf(boosts[index + 1]));
  return at === -1 ? boosts : boosts.with(at, boosts[at + 1]).with(at + 1, boosts[at]);
}

function priceOf(boost: unknown): unknown {
  return isObject(boost) ? boost['priceMinor'] : undefined;
}

/** Violations of the rules for buy boosts (spec 2.3, 3.2, 4.4, 5.5). */
export const boostBreaks: readonly Break[] = [
  {
    name: 'price-as-text',
    clause: '2.3',
    wrong: 'sends `priceMinor` as a string',
    caughtBy: ['2.3-card-target', '2.3-fields', '2.3-product-target'],
    answer: changeJson(BOOSTS, 'boosts.*.priceMinor', String),
  },
  {
    name: 'price-with-a-fraction',
    clause: '2.3',
    wrong: 'sends prices that are not whole yen',
    caughtBy: ['2.3-card-target', '2.3-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.priceMinor', (price) => Number(price) + 0.5),
  },
  {
    name: 'nothing-left-below-zero',
    clause: '2.3',
    wrong: 'sends a `remainingQuantity` below 0',
    caughtBy: ['2.3-card-target', '2.3-fields', '2.3-remaining'],
    answer: changeJson(BOOSTS, 'boosts.*.remainingQuantity', (left) => (left === null ? null : -1)),
  },
  {
    name: 'no-limit-left-out',
    clause: '2.3',
    wrong: 'omits `remainingQuantity` instead of sending null',
    caughtBy: ['2.3-card-target', '2.3-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.remainingQuantity', (left) => left ?? REMOVED),
  },
  {
    name: 'ends-at-left-out',
    clause: '2.3',
    wrong: 'omits `endsAt` instead of sending null',
    caughtBy: ['2.3-card-target', '2.3-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.endsAt', (at) => at ?? REMOVED),
  },
  {
    name: 'starts-at-in-seconds',
    clause: '2.3',
    wrong: 'sends `startsAt` as Unix seconds',
    caughtBy: ['2.3-card-target', '2.3-fields', '2.3-times'],
    answer: changeJson(BOOSTS, 'boosts.*.startsAt', (at) =>
      typeof at === 'string' ? Date.parse(at) / 1_000 : at,
    ),
  },
  {
    name: 'note-of-201-characters',
    clause: '2.3',
    wrong: 'sends a note of 201 characters',
    caughtBy: ['2.3-card-target', '2.3-fields', '2.3-note'],
    answer: changeJson(BOOSTS, 'boosts.*.note', (note) => (note === null ? null : NOTE_201)),
  },
  {
    name: 'currency-as-a-sign',
    clause: '2.3',
    wrong: 'sends `¥` for the currency',
    caughtBy: ['2.3-card-target', '2.3-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.currency', replaceWith('¥')),
  },
  {
    name: 'target-without-kind',
    clause: '2.3',
    wrong: 'omits `kind` from targets',
    caughtBy: ['2.3-card-target', '2.3-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.target.kind', remove),
  },
  {
    name: 'any-grade-left-out',
    clause: '2.3',
    wrong: 'omits `grade` when any grade is bought',
    caughtBy: ['2.3-card-target', '2.3-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.target.grade', (grade) => grade ?? REMOVED),
  },
  {
    name: 'grade-of-an-unknown-kind',
    clause: '2.3',
    wrong: 'uses the kind `external` for a grading service',
    caughtBy: ['2.3-card-target', '2.3-fields', '2.3-grade'],
    answer: changeJson(BOOSTS, 'boosts.*.target.grade.serviceKind', replaceWith('external')),
  },
  {
    name: 'product-as-box',
    clause: 'D2',
    wrong: 'uses the kind `box` for the target of a product',
    caughtBy: ['D2-product-kind'],
    answer: changeJson(BOOSTS, 'boosts.*.target.kind', (kind) =>
      kind === 'product' ? 'box' : kind,
    ),
  },
  {
    name: 'filled-without-include',
    clause: '3.2',
    wrong: 'lists filled boosts without `include=filled`',
    caughtBy: ['4.4-content', '4.4-default'],
    request: changeRequests(BOOSTS, ({ request }) =>
      queryOf(request).has('include')
        ? request
        : withQuery(request, (query) => query.set('include', 'filled')),
    ),
  },
  {
    name: 'filled-never',
    clause: '3.2',
    wrong: 'does not list filled boosts with `include=filled`',
    caughtBy: ['3.2-filled', '3.2-include-filled'],
    answer: changeJson(BOOSTS, 'boosts.*', (boost) =>
      isObject(boost) && boost['status'] === 'filled' ? REMOVED : boost,
    ),
  },
  {
    name: 'filled-called-open',
    clause: '3.2',
    wrong: 'gives a boost with nothing left the status `open`',
    caughtBy: ['3.2-filled'],
    answer: changeJson(BOOSTS, 'boosts.*.status', replaceWith('open')),
  },
  {
    name: 'open-left-out-with-filled',
    clause: '3.2',
    wrong: 'omits the open boosts from the list with `include=filled`',
    caughtBy: ['3.2-include-filled'],
    answer: changeResponses(BOOSTS, (answer, { request }) =>
      queryOf(request).get('include') === 'filled'
        ? withJson(answer, 'boosts.*', (boost) =>
            isObject(boost) && boost['status'] === 'filled' ? boost : REMOVED,
          )
        : answer,
    ),
  },
  {
    name: 'lists-are-kept-for-ever',
    clause: '3.2',
    wrong: 'repeats the first list that it sent, even after changes',
    caughtBy: ['3.2-moves'],
    answer: changeResponses(BOOSTS, (answer, { request, memory }) => {
      const firstValue = memory.get(request.target);
      memory.set(request.target, firstValue ?? parseJsonBody(answer));
      return firstValue === undefined ? answer : withJson(answer, '', replaceWith(firstValue));
    }),
  },
  {
    name: 'lowest-price-first',
    clause: '4.4',
    wrong: 'lists the lowest price first',
    caughtBy: ['4.4-order'],
    answer: changeJson(
      BOOSTS,
      'boosts',
      changeList((boosts) => boosts.toReversed()),
    ),
  },
  {
    name: 'price-order-by-text',
    clause: '4.4',
    wrong: 'sorts prices as strings, so that 9000 comes before 30000',
    caughtBy: ['4.4-order'],
    answer: changeJson(
      BOOSTS,
      'boosts',
      changeList((boosts) =>
        boosts.toSorted((a, b) => (String(priceOf(a)) < String(priceOf(b)) ? 1 : -1)),
      ),
    ),
  },
  {
    name: 'oldest-of-a-price-first',
    clause: 'D9',
    wrong: 'lists the older of two boosts with the same price first',
    caughtBy: ['D9-order'],
    answer: changeJson(BOOSTS, 'boosts', changeList(swapTies)),
  },
  {
    name: 'list-without-generated-at',
    clause: '4.4',
    wrong: 'omits `generatedAt` from the list',
    caughtBy: ['4.4-generated-at', '4.4-content'],
    answer: changeJson(BOOSTS, 'generatedAt', remove),
  },
  {
    name: 'any-include-is-taken',
    clause: '4.4',
    wrong: 'treats an invalid `include` as `open`',
    caughtBy: ['4.4-include-invalid'],
    request: changeRequests(BOOSTS, ({ request }) =>
      queryOf(request).get('include') === 'filled'
        ? request
        : withQuery(request, (query) => query.delete('include')),
    ),
  },
  {
    name: 'invalid-include-is-422',
    clause: '4.4',
    wrong: 'returns 422 for an invalid `include`',
    caughtBy: ['4.4-include-invalid'],
    answer: (answer, { request }) =>
      isRequestTo(request, BOOSTS) && answer.status === 400 ? { ...answer, status: 422 } : answer,
  },
  {
    name: 'permission-not-asked',
    clause: '5.5',
    wrong: 'returns an empty list when the approving member lacks `purchases.read`',
    caughtBy: ['5.5-purchases-read'],
    answer: replaceError(BOOSTS, 'forbidden', () =>
      jsonResponse(200, { boosts: [], generatedAt: new Date().toISOString() }),
    ),
  },
  {
    name: 'boost-scope-not-asked',
    clause: '4.4',
    wrong: 'lists boosts for a token without `purchase-boosts:read`',
    caughtBy: ['4-scope-inventory-read', '4-scope-none'],
    answer: replaceError(BOOSTS, 'insufficient_scope', () =>
      jsonResponse(200, { boosts: [], generatedAt: new Date().toISOString() }),
    ),
  },
];
