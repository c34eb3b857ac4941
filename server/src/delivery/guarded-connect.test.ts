import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { makeAuthority } from '../../test/certificate.ts';
import { type Listener, startReceiver } from '../../test/receiver.ts';
import { connectGuarded } from './guarded-connect.ts';

const never = new AbortController().signal;
const authority = makeAuthority();

describe('a guarded connection to a host with several addresses', () => {
  const listeners: Listener[] = [];
  after(async () => {
    for (const listener of listeners) await listener[Symbol.asyncDispose]();
  });

  async function connectTo(addresses: readonly string[], signal = never): Promise<string> {
    const listener = await startReceiver(
      (_, response) => response.end(),
      authority.issue(['hook.test']),
    );
    listeners.push(listener);
    const rules = {
      allowsLoopback: false,
      ca: authority.ca,
      resolve: async () => await Promise.resolve(addresses),
      isAllowedAddress: () => true,
      connectMs: 5_000,
    };
    const origin = new URL(`https://hook.test:${listener.port}`);
    try {
      const { socket } = await connectGuarded(rules, origin, signal);
      const peer = socket.remoteAddress;
      socket.destroy();
      return `${peer}, ${listener.connections}`;
    } catch (error) {
      assert.ok(error instanceof Error && 'kind' in error);
      return `${String(error.kind)}, ${listener.connections}`;
    }
  }

  it('uses the first address that accepts, and does not connect to the others', async () => {
    // Nothing listens on this port at the first two addresses, whether or not the machine has IPv6.
    const addresses = ['127.0.0.3', '::1', '127.0.0.1', '127.0.0.1'];
    assert.equal(await connectTo(addresses), '127.0.0.1, 1');
  });

  it('fails if none of the first three addresses of each family accepts', async () => {
    const refusing = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
    assert.equal(await connectTo(refusing), 'connect, 0');
    assert.equal(await connectTo([...refusing, '127.0.0.1']), 'connect, 0');
  });

  it('is aborted with the reason of the signal', async () => {
    const reason = Object.assign(new Error('enough'), { kind: 'given up' });
    assert.equal(await connectTo(['127.0.0.1'], AbortSignal.abort(reason)), 'given up, 0');
  });
});
