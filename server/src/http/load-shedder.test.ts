import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { FakeEventLoop } from '../../test/fake-event-loop.ts';
import { exchangeRaw, type RawResponse, readResponses } from '../../test/raw-socket.ts';
import { openLog, silentLog } from '../base/log.ts';
import { constantHeaders } from './constant-headers.ts';
import { Drain } from './drain.ts';
import { createHelpLinks } from './help-link.ts';
import { Metrics } from './metrics.ts';
import { LoadShedder, type LoadShedderOptions } from './load-shedder.ts';
import { createHttpServer, type HttpServerOptions } from './server.ts';

const BURST_MS = 20;

function makeOptions(more: Partial<HttpServerOptions>): HttpServerOptions {
  return {
    log: silentLog(),
    drain: new Drain(),
    publicUrl: 'http://127.0.0.1',
    metrics: null,
    trustProxy: false,
    isUnavailable: () => false,
    ...more,
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

async function ask(port: number, bytes: string): Promise<RawResponse[]> {
  return readResponses(await exchangeRaw(port, bytes));
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('a server at its limit (decision 0122)', () => {
  const drain = new Drain();
  const app = createHttpServer(makeOptions({ drain, overload: { inFlightMax: 0 } }));
  let seen = 0;
  let port = 0;
  before(async () => {
    app.addHook('onRequest', (_request, _reply, done) => {
      seen += 1;
      done();
    });
    app.get('/livez', async (_request, reply) => await reply.send('live'));
    app.get('/readyz', async (_request, reply) => await reply.send('ready'));
    await app.listen({ port: 0, host: '127.0.0.1' });
    port = portOf(app.server);
  });
  after(async () => await app.close());

  it('a server at its limit sends a 503 with the expected bytes, before any handler or hook runs', async () => {
    const text = (await exchangeRaw(port, get('/partner/v1/connection'))).toString();
    const id = /^x-request-id: ([0-9a-z]{18})$/m.exec(text)?.[1] ?? '';
    const date = /^Date: (.+)\r$/m.exec(text)?.[1] ?? '';
    assert.equal(
      text,
      [
        'HTTP/1.1 503 Service Unavailable',
        'cache-control: no-store',
        'x-content-type-options: nosniff',
        'referrer-policy: no-referrer',
        "content-security-policy: default-src 'none'; frame-ancestors 'none'",
        'x-frame-options: DENY',
        'cross-origin-resource-policy: same-origin',
        'link: <http://127.0.0.1/docs/errors#temporarily_unavailable>; rel="help"',
        'content-type: application/json; charset=utf-8',
        'content-length: 35',
        `x-request-id: ${id}`,
        'retry-after: 2',
        `Date: ${date}`,
        'Connection: keep-alive',
        'Keep-Alive: timeout=72',
        '',
        '{"error":"temporarily_unavailable"}',
      ].join('\r\n'),
    );
    assert.equal(seen, 0);
  });

  it('a server at its limit answers pipelined requests in order, each with a different Retry-After', async () => {
    const answers = await ask(port, Array.from({ length: 9 }, () => get('/x')).join(''));
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('retry-after')]),
      [3, 4, 5, 6, 7, 8, 9, 2, 3].map((seconds) => [503, String(seconds)]),
    );
    assert.equal(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size, 9);
  });

  it('the 503 for HEAD has no body', async () => {
    const bytes = await exchangeRaw(port, 'HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = readResponses(bytes, () => true);
    assert.equal(answer?.status, 503);
    assert.equal(answer.headers.get('content-length'), '35');
  });

  it('the connection is closed if a shed request has a body, which would be read as another request', async () => {
    for (const body of ['Content-Length: 70', 'Transfer-Encoding: chunked']) {
      const bytes = `POST /x HTTP/1.1\r\nHost: x\r\n${body}\r\n\r\n${get('/livez')}`;
      const answers = await ask(port, bytes);
      assert.equal(answers.length, 1, body);
      assert.equal(answers[0]?.status, 503);
      assert.equal(answers[0].headers.get('connection'), 'close');
    }
    const empty = 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
    const [first, second] = await ask(port, `${empty}${get('/livez')}`);
    assert.equal(first?.headers.get('connection'), 'keep-alive');
    assert.equal(second?.status, 200);
  });

  it('a server at its limit always answers health checks', async () => {
    for (const path of ['/livez', '/readyz', '/livez?a=b']) {
      assert.equal((await ask(port, get(path)))[0]?.status, 200, path);
    }
    const answers = await ask(port, `${get('/livez/')}${get('/LIVEZ')}`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503],
    );
  });

  it('a server at its limit closes connections while it drains', async () => {
    drain.begin();
    const [answer] = await ask(port, get('/x'));
    assert.equal(answer?.headers.get('connection'), 'close');
  });
});

describe('a server with a blocked event loop (decision 0122)', () => {
  it('after its time budget, a tick sheds further requests in order, and the next tick serves requests again', async () => {
    const overload = { burstMs: BURST_MS, congestedMs: BURST_MS, requestsMin: 1 };
    const app = createHttpServer(makeOptions({ overload }));
    const served: string[] = [];
    app.get('/long', (_request, reply) => {
      served.push('long');
      const untilMs = performance.now() + BURST_MS;
      while (performance.now() < untilMs);
      reply.send('long');
    });
    app.get('/livez', (_request, reply) => reply.send('live'));
    app.get('/x', (_request, reply) => {
      served.push('x');
      reply.send('x');
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    try {
      const port = portOf(app.server);
      const answers = await ask(port, ['/long', '/x', '/livez', '/x'].map(get).join(''));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 503, 200, 503],
      );
      assert.deepEqual(served, ['long']);
      assert.equal((await ask(port, get('/x')))[0]?.status, 200);
      assert.deepEqual(served, ['long', 'x']);
    } finally {
      await app.close();
    }
  });

  it('another request is accepted when a request has been answered or its client has disconnected', async () => {
    const app = createHttpServer(makeOptions({ overload: { inFlightMax: 1 } }));
    const begun: (() => void)[] = [];
    app.get('/wait', async (_request, reply) => {
      await new Promise<void>((resolve) => begun.push(resolve));
      return await reply.send('waited');
    });
    app.get('/x', async (_request, reply) => await reply.send('x'));
    await app.listen({ port: 0, host: '127.0.0.1' });
    try {
      const port = portOf(app.server);
      const first = ask(port, get('/wait'));
      while (begun.length < 1) await once(app.server, 'request');
      assert.equal((await ask(port, get('/x')))[0]?.status, 503);
      begun[0]?.();
      assert.equal((await first)[0]?.status, 200);
      // A request of a disconnected client does not count, even while its handler runs.
      const second = exchangeRaw(port, get('/wait'), 'at_once');
      while (begun.length < 2) await once(app.server, 'request');
      app.server.closeAllConnections();
      await second;
      assert.equal((await ask(port, get('/x')))[0]?.status, 200);
      begun[1]?.();
    } finally {
      await app.close();
    }
  });
});

describe('the report of shed requests (decision 0122)', () => {
  it('shed requests are counted by reason, and logged in one warning per second', async () => {
    const written: string[] = [];
    const log = openLog({ level: 'info', write: (text) => written.push(text) });
    const metrics = new Metrics();
    const loop = new FakeEventLoop();
    const options: LoadShedderOptions = {
      log,
      metrics,
      loop,
      drain: new Drain(),
      constant: constantHeaders('http:'),
      links: createHelpLinks('http:'),
      newRequestId: () => 'one',
      closing: new WeakSet(),
      bounds: { inFlightMax: 0 },
    };
    const server = createServer();
    new LoadShedder(options).guard(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const told = (): unknown[] => {
      log.flush();
      return written.splice(0).map((line) => (JSON.parse(line) as { shed: unknown }).shed);
    };
    try {
      const port = portOf(server);
      await ask(port, `${get('/a')}${get('/b')}`);
      assert.deepEqual(told(), [1]);
      loop.advance(999);
      await ask(port, get('/c'));
      assert.deepEqual(told(), []);
      loop.advance(1);
      assert.deepEqual(
        told(),
        [2],
        'counts since the last line, even if no request is shed any more',
      );
      await ask(port, get('/d'));
      loop.advance(1_000);
      assert.deepEqual(told(), [1]);
      loop.advance(10_000);
      assert.deepEqual(told(), []);
      const { text } = await metrics.render();
      const lines = text.split('\n');
      for (const line of [
        'cardport_http_requests_shed_total{reason="in_flight"} 4',
        'cardport_http_requests_shed_total{reason="loop"} 0',
        'cardport_http_requests_in_flight 0',
      ]) {
        assert.ok(lines.includes(line), line);
      }
    } finally {
      server.close();
      log.close();
    }
  });
});

/** An event loop with a manual clock, in which sockets are really read. */
class ReadingLoop extends FakeEventLoop {
  override afterRead(work: () => void): void {
    process.nextTick(work);
  }
}

/** Sends `count` requests on a connection and waits for all responses. */
async function exchange(socket: Socket, count: number): Promise<void> {
  socket.write(get('/x').repeat(count));
  let answers = '';
  while (answers.split('HTTP/1.1 503').length <= count || !answers.endsWith('}')) {
    const [part] = (await once(socket, 'data')) as [Buffer];
    answers += part.toString('latin1');
  }
}

describe('a connection with a shed request (decision 0122)', () => {
  it('a connection with a shed request is not read until it is resumed, while other connections are read', async () => {
    const loop = new ReadingLoop();
    const server = createServer();
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    new LoadShedder({
      log: silentLog(),
      metrics: null,
      loop,
      drain: new Drain(),
      constant: constantHeaders('http:'),
      links: createHelpLinks('http:'),
      newRequestId: () => 'one',
      closing: new WeakSet(),
      bounds: { inFlightMax: 0 },
    }).guard(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const held = connect(portOf(server), '127.0.0.1');
    const other = connect(portOf(server), '127.0.0.1');
    try {
      await Promise.all([once(held, 'connect'), once(other, 'connect')]);
      await exchange(held, 1);
      const socket = sockets.find(({ remotePort }) => remotePort === held.localPort);
      const readBytes = socket?.bytesRead;
      const answered = exchange(held, 1);
      await exchange(other, 1);
      assert.equal(socket?.bytesRead, readBytes, 'the request is still in the kernel');
      loop.advance(10);
      await answered;
    } finally {
      held.destroy();
      other.destroy();
      server.close();
    }
  });
});
