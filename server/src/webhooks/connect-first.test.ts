import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startCanary } from '../../test/receiver.ts';
import { connectFirst } from './connect-first.ts';

const never = new AbortController().signal;

describe('the first of several addresses (RFC 8305)', () => {
  it('is the first that takes the connection, and the others get none', async () => {
    await using there = await startCanary('127.0.0.1');
    // Nobody listens at the first three on this port, on a machine with IPv6 or without.
    const addresses = ['127.0.0.3', '127.0.0.2', '::1', '127.0.0.1', '127.0.0.1'];
    const socket = await connectFirst(addresses, there.port, never);
    assert.equal(socket.remoteAddress, '127.0.0.1');
    socket.destroy();
    assert.equal(there.connections, 1);
  });

  it('is none when none takes it, or when the seventh would', async () => {
    await using there = await startCanary('127.0.0.1');
    const refusing = Array.from({ length: 6 }, (_, index) => `127.0.0.${index + 2}`);
    await assert.rejects(connectFirst(refusing, there.port, never), AggregateError);
    await assert.rejects(
      connectFirst([...refusing, '127.0.0.1'], there.port, never),
      AggregateError,
    );
    assert.equal(there.connections, 0);
  });

  it('is given up with the reason of whoever gives up', async () => {
    await using there = await startCanary('127.0.0.1');
    const reason = new Error('enough');
    const late = connectFirst(['127.0.0.1'], there.port, AbortSignal.abort(reason));
    await assert.rejects(late, reason);
    assert.equal(there.connections, 0);
    const stop = new AbortController();
    const under = connectFirst(['127.0.0.1'], there.port, stop.signal);
    stop.abort(reason);
    await assert.rejects(under, reason);
  });
});
