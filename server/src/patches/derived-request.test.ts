import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { DerivedRequest } from './derived-request.ts';

describe('a derived request', () => {
  it('a derived request is readable like the original request, whose connection stays open', async () => {
    const read: unknown[] = [];
    const server = createServer((request, response) => {
      void (async () => {
        await text(request);
        for (const body of [Buffer.from('made=1'), null]) {
          const headers = { host: 'shop.example', 'x-forwarded-proto': 'https' };
          const made = new DerivedRequest(request, { headers, url: '/made', body });
          const { method, url, httpVersion } = made;
          read.push({ method, url, httpVersion, headers: made.headers, body: await text(made) });
          // Node destroys the stream in the event-loop turn after the stream has ended.
          await new Promise((resolve) => setImmediate(resolve));
          assert.equal(made.destroyed, true);
        }
        response.end('answered');
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const asked = { method: 'POST', body: 'real=1', headers: { 'x-forwarded-proto': 'spoofed' } };
    const answer = await fetch(`http://127.0.0.1:${address.port}/real`, asked);
    assert.equal(await answer.text(), 'answered');
    const made = {
      method: 'POST',
      url: '/made',
      httpVersion: '1.1',
      headers: { host: 'shop.example', 'x-forwarded-proto': 'https' },
    };
    assert.deepEqual(read, [
      { ...made, body: 'made=1' },
      { ...made, body: '' },
    ]);
    await new Promise((resolve) => server.close(resolve));
  });
});
