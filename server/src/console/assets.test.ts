import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { silentLog } from '../base/log.ts';
import { Drain } from '../http/drain.ts';
import { createHttpServer } from '../http/server.ts';
import { assetPath, mountAssets } from './assets.ts';

describe('the assets of the console', () => {
  let app: FastifyInstance;
  let origin: string;
  before(async () => {
    app = createHttpServer({
      log: silentLog(),
      drain: new Drain(),
      publicUrl: 'http://127.0.0.1',
      metrics: null,
      trustProxy: false,
      isUnavailable: () => false,
    });
    await app.register((scope) => mountAssets(scope), { prefix: '/console' });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  after(async () => await app.close());

  const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    await fetch(`${origin}${path}`, { headers });

  it('are cached forever under an address with their version, and revalidated under others', async () => {
    const current = await ask(assetPath('console.css'));
    assert.equal(current.status, 200);
    assert.equal(current.headers.get('content-type'), 'text/css; charset=utf-8');
    assert.equal(current.headers.get('x-content-type-options'), 'nosniff');
    assert.match(current.headers.get('cache-control') ?? '', /immutable/);
    for (const path of ['/console/assets/console.css', '/console/assets/console.css?v=old']) {
      const other = await ask(path);
      assert.match(other.headers.get('cache-control') ?? '', /must-revalidate/);
      assert.equal(await other.text(), await (await ask(assetPath('console.css'))).text());
    }
    assert.equal((await ask('/console/assets/none.css')).status, 404);
  });

  it('are compressed if accepted, and not sent again if unchanged', async () => {
    const path = '/console/assets/console.js';
    for (const coding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': coding };
      const answer = await ask(path, headers);
      assert.equal(answer.headers.get('content-encoding') ?? 'identity', coding);
      assert.equal(answer.headers.get('vary'), 'accept-encoding');
      const again = await ask(path, {
        ...headers,
        'if-none-match': answer.headers.get('etag') ?? '',
      });
      assert.deepEqual([again.status, await again.text()], [304, '']);
      assert.equal(again.headers.get('cache-control'), answer.headers.get('cache-control'));
    }
  });
});
