import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { makeAuthority } from '../../test/certificate.ts';
import {
  signedRequestTo,
  startRawReceiver,
  startCanary,
  startListener,
  startReceiver,
} from '../../test/receiver.ts';
import { waitUntil } from '../../test/wait-until.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import {
  type GuardedSender,
  type GuardedSenderOptions,
  openGuardedSender,
  type SenderLimits,
} from './guarded-sender.ts';

const DONE = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const TO_LOOPBACK: Pick<GuardedSenderOptions, 'resolve' | 'isAllowedAddress'> = {
  resolve: async () => await Promise.resolve(['127.0.0.1']),
  isAllowedAddress: () => true,
};
const never = new AbortController().signal;

interface Sending extends AsyncDisposable {
  readonly sender: GuardedSender;
  to(url: string): Promise<string>;
}

/** Opens a sender. If `ca` is passed, all host names resolve to this machine. */
function sending(limits: Partial<SenderLimits> = {}, ca?: string): Sending {
  const sender = openGuardedSender({
    allowsLoopback: true,
    limits,
    ...(ca === undefined ? {} : { ca, ...TO_LOOPBACK }),
  });
  return {
    sender,
    to: async (url) => told(await sender.send(signedRequestTo(url), never)),
    [Symbol.asyncDispose]: async () => await sender.close(),
  };
}

function told(result: AttemptResult): string {
  return result.kind === 'delivered' ? result.kind : result.error;
}

/**
 * Starts a receiver that answers the first event of each connection, and calls `then` for the
 * second.
 */
async function startTiring(then: (socket: Socket) => void): ReturnType<typeof startRawReceiver> {
  return await startRawReceiver((socket) => {
    socket.write(DONE);
    socket.once('data', () => then(socket));
  });
}

/**
 * Sends two events to one receiver, the second when the first connection is idle. Returns the
 * second result and the number of connections that the receiver has seen.
 */
async function tellKept(
  then: (socket: Socket) => void,
): Promise<{ readonly result: AttemptResult; readonly connections: number }> {
  await using receiver = await startTiring(then);
  await using opened = sending();
  const url = `http://127.0.0.1:${receiver.port}/`;
  assert.equal(await opened.to(url), 'delivered');
  await waitUntil(() => opened.sender.poolStats.idle === 1);
  const result = await opened.sender.send(signedRequestTo(url), never);
  return { result: { ...result, latencyMs: 0 }, connections: receiver.connections };
}

const RESET = {
  kind: 'failed',
  status: null,
  error: 'reset',
  latencyMs: 0,
  retryAfterSeconds: null,
} as const satisfies AttemptResult;

describe('a reused connection', () => {
  it('a reused connection is reported as stale if it closes while an event is being sent, and the event is not sent again', async () => {
    for (const close of [
      (socket: Socket): unknown => socket.resetAndDestroy(),
      (socket: Socket): unknown => socket.end(),
    ]) {
      assert.deepEqual(await tellKept(close), {
        result: { ...RESET, isStale: true },
        connections: 1,
      });
    }
  });

  it('a connection that closes within a response is reported as failed, not as stale', async () => {
    const cut = (socket: Socket): unknown => socket.end('HTTP/1.1 200');
    assert.deepEqual(await tellKept(cut), { result: RESET, connections: 1 });
  });

  it('a connection with a response that is not HTTP is reported as failed, not as stale', async () => {
    assert.deepEqual(await tellKept((socket) => socket.end('garbage\r\n\r\n')), {
      result: { ...RESET, error: 'protocol' },
      connections: 1,
    });
  });

  it('a connection that closes during its first event is not stale', async () => {
    await using receiver = await startRawReceiver((socket) => socket.resetAndDestroy());
    await using opened = sending();
    const result = await opened.sender.send(
      signedRequestTo(`http://127.0.0.1:${receiver.port}/`),
      never,
    );
    assert.deepEqual({ ...result, latencyMs: 0 }, RESET);
    assert.equal(receiver.connections, 1);
  });

  it('a failed TLS handshake of the next connection is not reported as stale', async () => {
    const authority = makeAuthority();
    const arrived = Promise.withResolvers<void>();
    const answered: Socket[] = [];
    const answer = async (response: ServerResponse): Promise<void> => {
      await arrived.promise;
      response.writeHead(200, { connection: 'keep-alive' }).end();
    };
    const behind = createHttpsServer(authority.issue(['hook.test']), (request, response) => {
      answered.push(request.socket);
      if (answered.length === 2) arrived.resolve();
      void answer(response);
    });
    let isDown = false;
    await using receiver = await startListener((socket) => {
      if (isDown) socket.once('data', () => socket.resetAndDestroy());
      else behind.emit('connection', socket);
    });
    await using opened = sending({}, authority.ca);
    const { sender } = opened;
    const url = `https://hook.test:${receiver.port}/`;
    const both = async (): Promise<AttemptResult[]> =>
      await Promise.all([
        sender.send(signedRequestTo(url), never),
        sender.send(signedRequestTo(url), never),
      ]);
    assert.deepEqual((await both()).map(told), ['delivered', 'delivered']);
    isDown = true;
    await waitUntil(() => sender.poolStats.idle === 2);
    answered[0]?.destroy();
    await waitUntil(() => sender.poolStats.idle === 1);
    // One attempt uses the remaining connection. The other opens a new connection, on a client
    // whose earlier connection is gone.
    const results = await both();
    assert.deepEqual(results.map(told).toSorted(), ['delivered', 'reset']);
    assert.deepEqual(
      results.filter((result) => 'isStale' in result),
      [],
    );
  });

  it('a connection is not used again if the receiver announces that it closes it', async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200, { connection: 'close' }).end();
    });
    await using opened = sending();
    const url = `http://127.0.0.1:${receiver.port}/`;
    for (let notice = 1; notice <= 5; notice++) {
      assert.equal(await opened.to(url), 'delivered');
      assert.equal(receiver.connections, notice);
    }
  });
});

describe('the connection pool of receivers', () => {
  it('the pool limits the connections to each receiver, and further events wait', async () => {
    let atOnce = 0;
    let most = 0;
    await using receiver = await startReceiver((request, response) => {
      atOnce++;
      most = Math.max(most, atOnce);
      request.resume().on('end', () => {
        atOnce--;
        response.end();
      });
    });
    await using opened = sending({ socketsPerOrigin: 3 });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const all = Array.from({ length: 40 }, async () => await opened.to(url));
    assert.deepEqual(new Set(await Promise.all(all)), new Set(['delivered']));
    assert.equal(receiver.connections, 3);
    assert.ok(most <= 3);
  });

  it('an event that waits too long for a connection times out, and the next one is sent', async () => {
    let isAwake = false;
    await using receiver = await startReceiver((_, response) => {
      if (isAwake) response.end();
    });
    await using opened = sending({ socketsPerOrigin: 1, attemptMs: 100 });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const both = await Promise.all([opened.to(url), opened.to(url)]);
    assert.deepEqual(both, ['timeout', 'timeout']);
    isAwake = true;
    await waitUntil(async () => (await opened.to(url)) === 'delivered');
  });

  it('the pool is empty after the maximum number of concurrent events to an origin that refuses connections', async () => {
    const canary = await startCanary('127.0.0.1');
    const url = `http://127.0.0.1:${canary.port}/`;
    await canary[Symbol.asyncDispose]();
    await using opened = sending();
    const all = Array.from({ length: 64 }, async () => await opened.to(url));
    assert.deepEqual(new Set(await Promise.all(all)), new Set(['connect']));
    await waitUntil(() => opened.sender.poolStats.origins === 0);
  });

  it('the pool is empty some seconds after the last of many events', async () => {
    const authority = makeAuthority();
    await using receiver = await startReceiver(
      (_, response) => {
        // The header is set explicitly, so that node:http does not add a `Keep-Alive` hint.
        response.writeHead(200, { connection: 'keep-alive' }).end();
      },
      authority.issue(['*.many.test']),
    );
    const gone = await startCanary('127.0.0.1');
    await gone[Symbol.asyncDispose]();
    const sender = openGuardedSender({
      allowsLoopback: false,
      ca: authority.ca,
      ...TO_LOOPBACK,
      limits: { idleMs: 200, idleSockets: 10 },
    });
    for (let app = 0; app < 30; app++) {
      const there = await sender.send(
        signedRequestTo(`https://app${app}.many.test:${receiver.port}/`),
        never,
      );
      const away = await sender.send(
        signedRequestTo(`https://app${app}.many.test:${gone.port}/`),
        never,
      );
      assert.deepEqual([told(there), told(away)], ['delivered', 'connect']);
      assert.ok(sender.poolStats.idle <= 10);
      assert.ok(sender.poolStats.origins <= 11);
    }
    await waitUntil(() => sender.poolStats.origins === 0 && sender.poolStats.idle === 0);
    await sender.close();
  });
});

describe('proxy settings in the environment', () => {
  it('proxy environment variables have no effect', async () => {
    await using receiver = await startReceiver((_, response) => response.end());
    await using proxy = await startCanary('127.0.0.1');
    const address = `http://127.0.0.1:${proxy.port}`;
    const program = `
    const { openGuardedSender } = await import('./guarded-sender.ts');
    const { signedRequestTo } = await import('../../test/receiver.ts');
    const sender = openGuardedSender({ allowsLoopback: true });
    const notice = signedRequestTo('http://127.0.0.1:${receiver.port}/');
    const result = await sender.send(notice, new AbortController().signal);
    await sender.close();
    process.stdout.write(result.kind);
  `;
    const names = [
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'ALL_PROXY',
      'http_proxy',
      'https_proxy',
      'all_proxy',
    ];
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--use-env-proxy', '--input-type=module', '--eval', program],
      {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          ...Object.fromEntries(names.map((name) => [name, address])),
          NODE_USE_ENV_PROXY: '1',
          NO_PROXY: '',
          no_proxy: '',
        },
      },
    );
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await once(child, 'close');
    assert.equal(said, 'delivered');
    assert.equal(receiver.connections, 1);
    assert.equal(proxy.connections, 0);
  });
});
