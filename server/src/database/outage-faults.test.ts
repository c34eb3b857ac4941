import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OutageFaults } from './outage-faults.ts';

function connectionRefused(): Error {
  return Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
}

describe('faults of works that come again and again', () => {
  it('are told, but of an outage only the first', () => {
    const told: unknown[] = [];
    const faults = new OutageFaults((error) => void told.push(error));
    const [first, second, bug] = [connectionRefused(), connectionRefused(), new Error('a bug')];
    faults.failed(first);
    faults.failed(connectionRefused());
    faults.failed(bug);
    faults.failed(bug);
    faults.failed(connectionRefused());
    assert.deepEqual(told, [first, bug, bug]);
    faults.passed();
    faults.failed(second);
    faults.failed(connectionRefused());
    assert.deepEqual(told, [first, bug, bug, second]);
  });
});
