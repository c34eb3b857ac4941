import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it, mock } from 'node:test';
import { noticeHandler, verifyNotice } from '@cardport/client';
import { nodeNoticeHandler } from '@cardport/client/node';
import { signNotice, type SignedNotice } from '@cardport/client/testing';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { serveWeb } from './web-server.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
/** The clock of sender and receiver is fixed, so that 299 seconds are exact. */
const NOW = Date.UTC(2026, 5, 1, 12);
const TENANT = '7b0f7c56-3f0a-4d53-9d7e-6f1f3f5c2a10';

/** The recipes as developers paste them, each with a function that serves it. */
const RECIPES: Readonly<Record<string, () => Promise<Server>>> = {
  'node-http': async () => (await import('../recipes/node-http.ts')).server,
  express: async () => createServer((await import('../recipes/express.ts')).app),
  fastify: async () => {
    const { app } = await import('../recipes/fastify.ts');
    await app.ready();
    return app.server;
  },
  hono: async () => {
    const { app } = await import('../recipes/hono.ts');
    return serveWeb(async (request) => await app.fetch(request));
  },
  next: async () => serveWeb((await import('../recipes/next.ts')).POST),
};

const options = { secret: SECRET, onNotice: (): void => assert.fail('onNotice was called') };

/** The typical mistake in each framework: a parser has already read the body. */
const PARSED_BEFORE: Readonly<Record<string, () => Promise<Server>>> = {
  'node:http': async () => {
    const handle = nodeNoticeHandler(options);
    return createServer((request, response) => {
      request.resume().once('end', () => handle(request, response));
    });
  },
  Express: async () => {
    const app = express();
    app.use(express.json());
    app.post('/hook', nodeNoticeHandler(options));
    return createServer(app);
  },
  Fastify: async () => {
    const app = Fastify();
    app.post<{ Body: string }>('/hook', async ({ body, headers }) => {
      await verifyNotice({ body, headers, secret: SECRET });
    });
    await app.ready();
    return app.server;
  },
  Hono: async () => {
    const app = new Hono();
    const handle = noticeHandler(options);
    app.post('/hook', async (context) => {
      await context.req.json();
      return await handle(context.req.raw);
    });
    return serveWeb(async (request) => await app.fetch(request));
  },
  Next: async () => {
    const handle = noticeHandler(options);
    return serveWeb(async (request) => {
      await request.json();
      return await handle(request);
    });
  },
};

describe('the recipes', () => {
  const taken = mock.fn();
  before(() => {
    process.env['WEBHOOK_SECRET'] = SECRET;
    mock.method(console, 'log', taken);
    mock.timers.enable({ apis: ['Date'], now: NOW });
  });
  after(() => {
    mock.reset();
    delete process.env['WEBHOOK_SECRET'];
  });

  for (const [name, open] of Object.entries(RECIPES)) {
    describe(`client/recipes/${name}.ts`, () => {
      let server: Server;
      before(async () => {
        server = (await open()).listen(0, '127.0.0.1');
        await once(server, 'listening');
      });
      after(() => server.close());
      beforeEach(() => taken.mock.resetCalls());

      async function sign(ageSeconds = 0, secret = SECRET): Promise<SignedNotice> {
        const timestamp = NOW / 1_000 - ageSeconds;
        return await signNotice({ secret, timestamp, notice: { tenantId: TENANT } });
      }

      it('the recipe accepts a genuine notice, even if it is 299 seconds old', async () => {
        for (const age of [0, 299, -299]) {
          taken.mock.resetCalls();
          const { status, text } = await post(server, await sign(age));
          assert.deepEqual([status, text], [204, '']);
          assert.deepEqual(
            taken.mock.calls.map((call) => call.arguments),
            [['read the feed']],
          );
        }
      });

      it('the recipe refuses an altered notice, a notice with another secret, and a notice that is 300 seconds old', async () => {
        const genuine = await sign();
        const altered = {
          ...genuine,
          body: genuine.body.replace(TENANT, TENANT.replace('7', '8')),
        };
        for (const notice of [altered, await sign(0, OTHER), await sign(300), await sign(-300)]) {
          assert.equal((await post(server, notice)).status, 401);
        }
        const { 'X-Service-Signature': _, ...unsigned } = genuine.headers;
        assert.equal((await post(server, { ...genuine, headers: unsigned })).status, 400);
        assert.equal(taken.mock.callCount(), 0);
      });

      it('the recipe refuses a body that is too large', async () => {
        const large = { ...(await sign()), body: 'x'.repeat(2_000_000) };
        const { status } = await post(server, large).catch(() => ({ status: 413 }));
        assert.equal(status, 413);
        assert.equal(taken.mock.callCount(), 0);
      });

      it('the recipe is the code that the page shows', async () => {
        const recipe = await readFile(new URL(`../recipes/${name}.ts`, import.meta.url), 'utf8');
        const page = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
        assert.equal(page.includes(recipe.trim()), true, `docs/webhooks.md lacks ${name}.ts`);
      });
    });
  }

  describe('a body that was parsed before', () => {
    for (const [name, open] of Object.entries(PARSED_BEFORE)) {
      it(`a body that was parsed before is refused, and the error says what to do: ${name}`, async (t) => {
        t.mock.method(console, 'error', () => undefined);
        const server = (await open()).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const { status, text } = await post(server, await signNotice({ secret: SECRET }));
        server.close();
        // The receiver is at fault, so 500 makes the service send the notice again.
        assert.equal(status, 500);
        assert.match(text, /pass the raw body/);
        assert.match(text, new RegExp(name));
      });
    }
  });
});

async function post(
  server: Server,
  { body, headers }: SignedNotice,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const { port } = server.address() as AddressInfo;
  const sent = httpRequest({
    host: '127.0.0.1',
    port,
    path: '/hook',
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false,
  });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const piece of answer) text += String(piece);
  return { status: answer.statusCode, text };
}
