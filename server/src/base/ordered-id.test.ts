import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leastOrderedId, newOrderedId } from './ordered-id.ts';

const AT = new Date('2026-06-01T12:00:00.000Z');

describe('an ordered id', () => {
  it('is a version 7 UUID that begins with its time (RFC 9562 §5.7)', () => {
    const id = newOrderedId(AT);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(id.slice(0, 13).replace('-', ''), 16), AT.getTime());
  });

  it('is greater than every earlier id, also within one millisecond', () => {
    const ids = Array.from({ length: 5_000 }, () => newOrderedId(AT));
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(newOrderedId(new Date(AT.getTime() + 1)) > (ids.at(-1) ?? ''));
  });

  it('lies between leastOrderedId of its millisecond and of the next one', () => {
    const id = newOrderedId(AT);
    assert.ok(leastOrderedId(AT) < id);
    assert.ok(id < leastOrderedId(new Date(AT.getTime() + 1)));
  });
});
