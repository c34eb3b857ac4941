import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { after, beforeEach, describe, it } from 'node:test';
import { makeAuthority } from '../../test/certificate.ts';
import { startDnsServer } from '../../test/dns-server.ts';
import {
  type Listener,
  signedRequestTo,
  startRawReceiver,
  startCanary,
  startReceiver,
} from '../../test/receiver.ts';
import { pauseProcess, untilRecovered } from '../../test/paused-process.ts';
import { waitUntil } from '../../test/wait-until.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import {
  type GuardedSender,
  type GuardedSenderOptions,
  openGuardedSender,
} from './guarded-sender.ts';
import { resolveHost } from './resolve-host.ts';

/** Longer than an attempt that counts as slow. */
const PAUSE_MS = 2_100;
const NOW = new Date('2026-03-01T00:00:00.000Z');
const authority = makeAuthority();
const certificate = authority.issue(['hook.test', '*.many.test']);

const open: GuardedSender[] = [];

function senderWith(options: Partial<GuardedSenderOptions> = {}): GuardedSender {
  const sender = openGuardedSender({
    allowsLoopback: true,
    now: () => NOW,
    ca: authority.ca,
    resolve: async () => await Promise.resolve(['127.0.0.1']),
    isAllowedAddress: (address) => address === '127.0.0.1',
    ...options,
  });
  open.push(sender);
  return sender;
}

async function sendTo(sender: GuardedSender, url: string): Promise<AttemptResult> {
  return await sender.send(signedRequestTo(url), new AbortController().signal);
}

function told(result: AttemptResult): string {
  return result.kind === 'delivered'
    ? `delivered ${result.status}`
    : `${result.error} ${result.status}`;
}

/** Starts the same receiver twice: over http, as in development, and over TLS with a host name. */
async function startBoth(
  answer: RequestListener,
): Promise<{ readonly urls: readonly string[]; readonly listeners: readonly Listener[] }> {
  const listeners = [await startReceiver(answer), await startReceiver(answer, certificate)];
  const [plain, secure] = listeners;
  return {
    listeners,
    urls: [`http://127.0.0.1:${plain?.port}`, `https://hook.test:${secure?.port}`],
  };
}

async function end(listeners: readonly Listener[]): Promise<void> {
  for (const listener of listeners) await listener[Symbol.asyncDispose]();
}

async function tellBare(
  answer: (socket: Socket) => void,
  limits: GuardedSenderOptions['limits'] = {},
): Promise<string> {
  await using receiver = await startRawReceiver(answer);
  const sender = senderWith({ limits });
  const result = await sendTo(sender, `http://127.0.0.1:${receiver.port}/`);
  assert.equal(receiver.connections, 1);
  await sender.close();
  return told(result);
}

function flood(socket: Socket | ServerResponse, chunk: string): void {
  while (socket.write(chunk));
  socket.once('drain', () => flood(socket, chunk));
}

describe('a guarded sender', () => {
  after(async () => {
    await Promise.all(open.map(async (sender) => await sender.close()));
  });

  describe('a response', () => {
    it('a response is classified by its status, over http and https', async () => {
      const { urls, listeners } = await startBoth((request, response) => {
        response.writeHead(Number(request.url?.slice(1)), { location: '/200' }).end('{"any": 1}');
      });
      const sender = senderWith();
      const expected = new Map([
        ...[200, 201, 202, 204, 299].map((status) => [status, 'delivered'] as const),
        ...[300, 301, 302, 303, 304, 307, 308, 399].map((status) => [status, 'redirect'] as const),
        [410, 'gone'],
        ...[400, 401, 404, 409, 413, 429, 500, 502, 503, 599].map((at) => [at, 'status'] as const),
      ]);
      for (const url of urls) {
        for (const [status, error] of expected) {
          assert.equal(told(await sendTo(sender, `${url}/${status}`)), `${error} ${status}`);
          await waitUntil(() => sender.poolStats.idle === sender.poolStats.origins);
        }
      }
      // Each receiver saw one connection, so no redirect was followed, and every body was read to
      // its end.
      assert.deepEqual(
        listeners.map(({ connections }) => connections),
        [1, 1],
      );
      await end(listeners);
    });

    it('only a response with status 429 or 503 may ask for a delay, in seconds or as a date', async () => {
      const asked = new Map([
        ['/429/120', 120],
        ['/503/7', 7],
        [`/429/${encodeURIComponent('Sun, 01 Mar 2026 00:01:00 GMT')}`, 60],
        [`/503/${encodeURIComponent('Sun, 01 Mar 2026 01:00:00 GMT')}`, 3_600],
        ['/429/999999', 86_400],
        ['/503/soon', null],
        ['/500/120', null],
        ['/301/120', null],
        ['/410/120', null],
      ]);
      await using receiver = await startReceiver((request, response) => {
        const [, status = '', value = ''] = request.url?.split('/') ?? [];
        response.writeHead(Number(status), { 'retry-after': decodeURIComponent(value) }).end();
      });
      const sender = senderWith();
      for (const [path, seconds] of asked) {
        const result = await sendTo(sender, `http://127.0.0.1:${receiver.port}${path}`);
        assert.equal(result.kind === 'failed' ? result.retryAfterSeconds : path, seconds, path);
      }
    });

    it('a response is accepted when its headers arrive, and at most 4 KiB of its body are read', async () => {
      for (const certified of [undefined, certificate]) {
        let sent = 0;
        let isCut = false;
        await using receiver = await startReceiver((_, response) => {
          response.writeHead(200);
          const chunk = Buffer.alloc(65_536);
          const write = (): void => {
            // The receiver offers 100 MB.
            while (sent < 100_000_000 && !response.destroyed) {
              sent += chunk.length;
              if (!response.write(chunk)) break;
            }
            response.once('drain', write);
          };
          response.on('close', () => {
            isCut = true;
          });
          write();
        }, certified);
        // The time limit for a body is raised, so that only the size limit can end this body.
        const sender = senderWith({ limits: { drainMs: 60_000 } });
        const scheme = certified === undefined ? 'http://127.0.0.1' : 'https://hook.test';
        assert.equal(told(await sendTo(sender, `${scheme}:${receiver.port}/`)), 'delivered 200');
        await waitUntil(() => isCut);
        // The limit covers the socket buffers at both ends.
        assert.ok(sent < 20_000_000, String(sent));
        await sender.close();
      }
    });

    it('a response is accepted even if its body never ends, and its connection is then not used again', async () => {
      await using receiver = await startReceiver((_, response) => {
        response.writeHead(200, { 'content-length': '5' }).write('a');
      });
      const sender = senderWith({ limits: { drainMs: 50 } });
      const url = `http://127.0.0.1:${receiver.port}/`;
      assert.equal(told(await sendTo(sender, url)), 'delivered 200');
      assert.equal(told(await sendTo(sender, url)), 'delivered 200');
      assert.equal(receiver.connections, 2);
      await waitUntil(() => sender.poolStats.origins === 0);
    });

    it('a response may follow some 1xx responses, but not a hundred, and not a 101', async () => {
      const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
      const done = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
      assert.equal(await tellBare((socket) => socket.write(early + done)), 'delivered 200');
      assert.equal(
        await tellBare((socket) => socket.write(early.repeat(100) + done)),
        'protocol null',
      );
      assert.equal(await tellBare((socket) => flood(socket, early.repeat(1_000))), 'protocol null');
      const upgrade = 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';
      assert.equal(await tellBare((socket) => socket.write(upgrade)), 'protocol null');
      const proceed = 'HTTP/1.1 100 Continue\r\n\r\n';
      assert.equal(await tellBare((socket) => socket.write(proceed + done)), 'protocol null');
    });

    it('a response that is not HTTP, or has too many headers, is a protocol error', async () => {
      for (const bytes of [
        'SSH-2.0-OpenSSH_9.2\r\n',
        'garbage\r\n\r\n',
        'HTTP/2 200 OK\r\n\r\n',
        'HTTP/1.1 2000 OK\r\n\r\n',
        'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
        `HTTP/1.1 200 OK\r\na: ${'b'.repeat(20_000)}\r\n\r\n`,
      ]) {
        assert.equal(await tellBare((socket) => socket.write(bytes)), 'protocol null', bytes);
      }
      assert.equal(
        await tellBare((socket) => flood(socket, `HTTP/1.1 200 ${'a'.repeat(60_000)}`)),
        'protocol null',
      );
      const endless = (socket: Socket): void => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, 'x: y\r\n'.repeat(10_000));
      };
      assert.equal(await tellBare(endless), 'protocol null');
      const fits = `HTTP/1.1 200 OK\r\na: ${'b'.repeat(16_000)}\r\ncontent-length: 0\r\n\r\n`;
      assert.equal(await tellBare((socket) => socket.write(fits)), 'delivered 200');
    });
  });

  describe('a missing response', () => {
    beforeEach(untilRecovered);

    it('a connection that closes before a response is a reset, and the event is not retried', async () => {
      assert.equal(await tellBare((socket) => socket.end()), 'reset null');
      assert.equal(await tellBare((socket) => socket.resetAndDestroy()), 'reset null');
      assert.equal(
        await tellBare((socket) => socket.end('HTTP/1.1 200 OK\r\na: b\r\n')),
        'reset null',
      );
    });

    it('a receiver that hangs or sends slowly causes a timeout', async () => {
      const limits = { attemptMs: 150 };
      assert.equal(await tellBare(() => undefined, limits), 'timeout null');
      const drip = (socket: Socket): void => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        const timer = setInterval(() => socket.write('y'), 10);
        socket.on('close', () => clearInterval(timer));
      };
      assert.equal(await tellBare(drip, limits), 'timeout null');
    });

    it('a closed port is a connect error', async () => {
      const gone = await startCanary('127.0.0.1');
      await gone[Symbol.asyncDispose]();
      const sender = senderWith();
      assert.equal(told(await sendTo(sender, `http://127.0.0.1:${gone.port}/`)), 'connect null');
      assert.equal(told(await sendTo(sender, `https://hook.test:${gone.port}/`)), 'connect null');
      assert.equal(sender.poolStats.origins, 0);
    });

    it('a DNS server that does not answer within the connect timeout causes a DNS error', async () => {
      await using dns = await startDnsServer();
      dns.set('silent.test', 'silence');
      const sender = senderWith({
        limits: { connectMs: 100 },
        resolve: async (host, signal) => await resolveHost(host, signal, [dns.address]),
      });
      assert.equal(told(await sendTo(sender, 'https://silent.test/')), 'dns null');
      assert.equal(told(await sendTo(sender, 'https://unknown.test/')), 'dns null');
      assert.ok(
        dns.questions.includes('A silent.test') && dns.questions.includes('AAAA silent.test'),
      );
    });

    it('every certificate that is invalid for the host is a TLS error', async () => {
      const wrong = [
        makeAuthority().issue(['hook.test']),
        authority.issue(['other.test']),
        authority.issue(['hook.test'], new Date(Date.now() - 60_000)),
        authority.issue(['*.hook.test']),
      ];
      const sender = senderWith();
      // This variable switches off Node's certificate checks, but must not switch off those of the
      // sender.
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      try {
        for (const each of wrong) {
          let requests = 0;
          await using receiver = await startReceiver((_, response) => {
            requests++;
            response.end();
          }, each);
          assert.equal(
            told(await sendTo(sender, `https://hook.test:${receiver.port}/`)),
            'tls null',
          );
          assert.equal(requests, 0);
        }
      } finally {
        delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      }
      await using plain = await startReceiver((_, response) => response.end());
      assert.equal(told(await sendTo(sender, `https://hook.test:${plain.port}/`)), 'tls null');
      await using good = await startReceiver((_, response) => response.end(), certificate);
      // The system does not trust this test's certificate authority.
      const strict = openGuardedSender({
        allowsLoopback: true,
        resolve: async () => await Promise.resolve(['127.0.0.1']),
        isAllowedAddress: () => true,
      });
      open.push(strict);
      assert.equal(told(await sendTo(strict, `https://hook.test:${good.port}/`)), 'tls null');
      assert.equal(told(await sendTo(sender, `https://hook.test:${good.port}/`)), 'delivered 200');
      assert.equal(told(await sendTo(sender, `https://hook.test.:${good.port}/`)), 'delivered 200');
    });

    it('a handshake that stops causes a timeout', async () => {
      await using silent = await startCanary('127.0.0.1');
      const sender = senderWith({ limits: { connectMs: 200 } });
      assert.equal(told(await sendTo(sender, `https://hook.test:${silent.port}/`)), 'timeout null');
      assert.equal(silent.connections, 1);
    });

    it('a receiver is not blamed for a timeout or a reset while this process was paused', async () => {
      let hasArrived = false;
      await using hanging = await startReceiver(() => void (hasArrived = true));
      const sender = senderWith({ limits: { attemptMs: 300 } });
      const sending = sendTo(sender, `http://127.0.0.1:${hanging.port}`);
      await waitUntil(() => hasArrived);
      pauseProcess(PAUSE_MS);
      assert.equal(told(await sending), 'interrupted null');
      await using resetting = await startReceiver(({ socket }) => {
        pauseProcess(PAUSE_MS);
        socket.resetAndDestroy();
      });
      await untilRecovered();
      const reset = await sendTo(senderWith(), `http://127.0.0.1:${resetting.port}`);
      assert.equal(told(reset), 'interrupted null');
    });

    it('a response counts after a pause of this process, whose time is not part of its latency', async () => {
      await using receiver = await startReceiver((_, response) => {
        pauseProcess(PAUSE_MS);
        response.writeHead(500).end();
      });
      const result = await sendTo(senderWith(), `http://127.0.0.1:${receiver.port}`);
      assert.equal(told(result), 'status 500');
      assert.ok(result.latencyMs < PAUSE_MS, `${result.latencyMs}`);
    });

    it('an attempt that the worker aborts is an interruption', async () => {
      await using silent = await startCanary('127.0.0.1');
      const sender = senderWith();
      const url = `http://127.0.0.1:${silent.port}/`;
      const stop = new AbortController();
      const stopped = sender.send(signedRequestTo(url), stop.signal);
      await waitUntil(() => silent.connections === 1);
      stop.abort();
      const result = await stopped;
      assert.equal(told(result), 'interrupted null');
      assert.ok(Number.isInteger(result.latencyMs), 'the time until the abort is in the result');
      const closed = sender.send(signedRequestTo(url), new AbortController().signal);
      await waitUntil(() => silent.connections === 2);
      await sender.close();
      assert.equal(told(await closed), 'interrupted null');
      assert.equal(told(await sendTo(sender, url)), 'interrupted null');
      assert.equal(silent.connections, 2);
      assert.equal(sender.poolStats.origins, 0);
    });
  });
});
