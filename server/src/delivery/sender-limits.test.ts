import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signedRequestTo, startReceiver } from '../../test/receiver.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { openGuardedSender, senderLimits } from './guarded-sender.ts';
import { queueLimits } from './due-queue.ts';

describe('the limits of a sender', () => {
  it('the limits of a sender are those of decision 0103', () => {
    assert.deepEqual(senderLimits, {
      // "5 s for names, TCP and TLS together; 15 s to the end of the headers."
      connectMs: 5_000,
      attemptMs: 15_000,
      // "16 KiB of header names and values."
      headerBytes: 16 * 1_024,
      // "4 KiB of the body and 500 ms are spent so that the connection can be used again."
      bodyBytes: 4 * 1_024,
      drainMs: 500,
      idleMs: 4_000,
      socketsPerOrigin: 128,
      idleSockets: 512,
    });
  });

  it('an origin has fewer slots than its pool has connections, so that the pool is never full', () => {
    const { fast, slow } = queueLimits;
    assert.equal(senderLimits.socketsPerOrigin, 2 * (fast.perOrigin + slow.perOrigin));
  });

  it('a connection is kept after a body of 4,096 bytes, and not after 4,097 (decision 0103)', async () => {
    await using receiver = await startReceiver((request, response) => {
      const length = Number(request.url?.slice(1));
      response.writeHead(200, { 'content-length': length }).end(Buffer.alloc(length, 'x'));
    });
    const sender = openGuardedSender({ allowsLoopback: true });
    const tell = async (length: number): Promise<string> => {
      const notice = signedRequestTo(`http://127.0.0.1:${receiver.port}/${length}`);
      const { kind } = await sender.send(notice, new AbortController().signal);
      // The result is known when the headers arrive. The body is read or cut off afterwards.
      await waitUntil(() => sender.poolStats.idle === sender.poolStats.origins);
      return `${kind}, ${sender.poolStats.idle} kept`;
    };
    assert.equal(await tell(4_096), 'delivered, 1 kept');
    assert.equal(await tell(4_096), 'delivered, 1 kept');
    assert.equal(receiver.connections, 1);
    assert.equal(await tell(4_097), 'delivered, 0 kept');
    assert.equal(await tell(0), 'delivered, 1 kept');
    assert.equal(receiver.connections, 2);
    await sender.close();
  });
});
