import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeError } from './describe-error.ts';

describe('the description of an error', () => {
  it('names each cause once, on one line', () => {
    const lost = new Error('connection failed: refused\n\tIs the server running?\n');
    const wrapped = new Error(`the start failed: ${lost.message}`, { cause: lost });
    const once = 'the start failed: connection failed: refused Is the server running?';
    assert.equal(describeError(wrapped), once);
    assert.equal(describeError(new Error('no answer.', { cause: wrapped })), `no answer: ${once}`);
  });
});
