import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { waitUntil } from '../../test/wait-until.ts';
import { silentLog } from '../base/log.ts';
import { Drain } from './drain.ts';
import { createHttpServer } from './server.ts';
import { withBodyTimeout } from './body-timeout.ts';

/** The body is larger than the buffers of a connection. */
const PIECES = 400;
const PIECE_BYTES = 65_536;

function longBody(): Readable {
  let left = PIECES;
  return new Readable({
    read(): void {
      left -= 1;
      this.push(left < 0 ? null : Buffer.alloc(PIECE_BYTES));
    },
  });
}

async function startStreaming(
  makeBody: () => Readable,
): Promise<AsyncDisposable & { readonly port: number; readonly bodies: Readable[] }> {
  const app = createHttpServer({
    log: silentLog(),
    drain: new Drain(),
    publicUrl: 'https://cards.example',
    metrics: null,
    trustProxy: false,
    isUnavailable: () => false,
  });
  const bodies: Readable[] = [];
  app.get('/', async (_request, reply) => {
    const body = makeBody();
    bodies.push(body);
    const length = String(PIECES * PIECE_BYTES);
    return await reply.headers({ 'content-length': length }).send(body);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const port = app.addresses().find((address) => typeof address === 'object')?.port ?? 0;
  return {
    port,
    bodies,
    [Symbol.asyncDispose]: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

describe('a streamed body', () => {
  it('is aborted, and its connection closed, if the client does not read it', async () => {
    await using server = await startStreaming(() => withBodyTimeout(longBody(), 50));
    const socket = connect({ port: server.port, host: '127.0.0.1' });
    let isClosed = false;
    socket.on('error', () => socket.destroy()).on('close', () => (isClosed = true));
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitUntil(() => server.bodies[0]?.destroyed === true);
    socket.resume();
    await waitUntil(() => isClosed);
    assert.ok(socket.bytesRead < PIECES * PIECE_BYTES);
  });

  it('is sent completely if the client reads it in time', async () => {
    await using server = await startStreaming(() => withBodyTimeout(longBody(), 60_000));
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.equal((await answer.arrayBuffer()).byteLength, PIECES * PIECE_BYTES);
    const timers = (): string[] =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    const before = timers().length;
    await buffer(withBodyTimeout(Readable.from([Buffer.from('x')])));
    await waitUntil(() => timers().length <= before);
  });

  it('is aborted, and its connection closed, if its source fails after the first bytes', async () => {
    const makeBody = (): Readable =>
      withBodyTimeout(
        Readable.from(
          (async function* fail() {
            yield Buffer.alloc(PIECE_BYTES);
            throw new Error('the store is gone');
          })(),
        ),
      );
    await using server = await startStreaming(makeBody);
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.equal(answer.status, 200);
    await assert.rejects(answer.arrayBuffer());
  });
});
