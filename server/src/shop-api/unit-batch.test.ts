import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newId } from '../base/secrets.ts';
import {
  type ShopApiResponse,
  putPlace,
  seedCatalog,
  type TestShopApi,
  useShopApi,
} from '../../test/shop-api.ts';

interface Prepared {
  readonly siteId: string;
  readonly cardId: string;
  /**
   * Returns a line of the batch: a unit at the prepared location, with these properties changed.
   */
  readonly line: (id: string, members?: object) => string;
}

async function prepare(shopApi: TestShopApi): Promise<Prepared> {
  const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
  const { siteId } = await putPlace(shopApi);
  const unit = { siteId, item: { kind: 'card', cardId } };
  return { siteId, cardId, line: (id, members) => JSON.stringify({ id, ...unit, ...members }) };
}

async function sendBatch(
  shopApi: TestShopApi,
  body: string | Uint8Array,
): Promise<ShopApiResponse> {
  const headers = { 'content-type': 'application/x-ndjson' };
  return await shopApi.call('POST', '/units/batch', { body, headers });
}

function priceOf(answer: ShopApiResponse): unknown {
  return answer.body['priceMinor'];
}

describe('POST /units/batch', () => {
  const openShopApi = useShopApi();

  it('a batch accepts valid lines, reports each invalid line, and counts unchanged units as accepted', async () => {
    const shopApi = await openShopApi();
    const { line } = await prepare(shopApi);
    const [first, second, third] = [newId(), newId(), newId()];
    const head = await shopApi.head();
    const lines = [
      line(first, { priceMinor: 100 }),
      '{"id":',
      '',
      line(second, { item: { kind: 'card', cardId: third } }),
      line('x'),
      JSON.stringify({ siteId: newId() }),
      line(third, { quantity: 5 }),
      line(third, { currency: 'XYZ' }),
      '[]',
      line(third),
      line(third, { priceMinor: 7 }).replace(/}$/, ',"priceMinor":8}'),
    ];
    const answer = await sendBatch(shopApi, `\ufeff${lines.join('\r\n')}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      accepted: 2,
      rejected: [
        { line: 2, error: 'invalid_request', detail: 'The line is not valid JSON.' },
        {
          line: 4,
          error: 'invalid_request',
          detail: `item.cardId: there is no card ${third}.`,
        },
        { line: 5, error: 'invalid_request', detail: 'id must be a UUID.' },
        { line: 6, error: 'invalid_request', detail: 'The line must contain id.' },
        { line: 7, error: 'invalid_request', detail: '"quantity" is not a known field.' },
        {
          line: 8,
          error: 'invalid_request',
          detail: 'currency: ISO 4217 has no currency XYZ.',
        },
        { line: 9, error: 'invalid_request', detail: 'The value must be a JSON object.' },
        {
          line: 11,
          error: 'invalid_request',
          detail: 'The line has the member "priceMinor" twice in an object.',
        },
      ],
    });
    assert.equal((await shopApi.call('GET', `/units/${second}`)).status, 404);
    assert.equal(await shopApi.head(), head + 2);
    const again = await sendBatch(shopApi, lines.join('\n'));
    assert.equal(again.body['accepted'], 2);
    assert.equal(await shopApi.head(), head + 2, 'an identical batch stamps nothing');
  });

  it('lines with the same id take effect in order, as if each were sent alone', async () => {
    const shopApi = await openShopApi();
    const { line } = await prepare(shopApi);
    const [near, far, many] = [newId(), newId(), newId()];
    const lines = [
      line(near, { priceMinor: 1, certNumber: 'kept' }),
      line(far, { priceMinor: 1 }),
      JSON.stringify({ id: near, priceMinor: 2 }),
      ...Array.from({ length: 600 }, () => line(newId())),
      ...Array.from({ length: 30 }, (_, n) => line(many, { priceMinor: n })),
      line(far, { priceMinor: 3 }),
      JSON.stringify({ id: near, status: 'sold' }),
      JSON.stringify({ id: near, status: 'reserved' }),
    ];
    const answer = await sendBatch(shopApi, lines.join('\n'));
    assert.equal(answer.body['accepted'], lines.length - 1);
    assert.deepEqual(answer.body['rejected'], [
      {
        line: lines.length,
        error: 'conflict',
        detail: 'The status of a unit cannot change from sold to reserved.',
      },
    ]);
    const unit = await shopApi.call('GET', `/units/${near}`);
    assert.deepEqual(
      [priceOf(unit), unit.body['certNumber'], unit.body['status']],
      [2, 'kept', 'sold'],
    );
    assert.equal(priceOf(await shopApi.call('GET', `/units/${far}`)), 3);
    assert.equal(priceOf(await shopApi.call('GET', `/units/${many}`)), 29);
  });

  it('a unit that a batch names several times gets one version, and versions never share updatedAt', async () => {
    const shopApi = await openShopApi();
    const { line } = await prepare(shopApi);
    const id = newId();
    const versions: string[] = [];
    for (let round = 0; round < 3; round++) {
      const head = await shopApi.head();
      const lines = Array.from({ length: 10 }, (_, n) => line(id, { priceMinor: 10 * round + n }));
      assert.equal((await sendBatch(shopApi, lines.join('\n'))).body['accepted'], 10);
      assert.equal(await shopApi.head(), head + 1);
      const unit = await shopApi.call('GET', `/units/${id}`);
      assert.equal(priceOf(unit), 10 * round + 9);
      versions.push(String(unit.body['updatedAt']));
      const body = { status: round % 2 === 0 ? 'reserved' : 'in_stock' };
      const changed = await shopApi.call('POST', `/units/${id}/status`, { body });
      versions.push(String(changed.body['updatedAt']));
    }
    // The clock of this service stands still.
    for (const [index, version] of versions.entries()) {
      assert.ok(version > (versions[index - 1] ?? ''), versions.join(' '));
    }
  });

  it('a refused line does not hide the references of a later line with the same id', async () => {
    const shopApi = await openShopApi();
    const { line, siteId } = await prepare(shopApi);
    const [id, locationId] = [newId(), newId()];
    const location = { siteId, code: 'Z-9', name: '棚', kind: 'shelf' };
    assert.equal(
      (await shopApi.call('PUT', `/locations/${locationId}`, { body: location })).status,
      201,
    );
    await sendBatch(shopApi, line(id));
    const lines = [
      JSON.stringify({ id, status: 'sold', siteId: newId() }),
      JSON.stringify({ id, status: 'reserved', locationId }),
    ];
    const answer = await sendBatch(shopApi, lines.join('\n'));
    assert.equal(answer.body['accepted'], 1, answer.text);
    const unit = await shopApi.call('GET', `/units/${id}`);
    assert.deepEqual([unit.body['status'], unit.body['locationId']], ['reserved', locationId]);
  });

  it('a line of 16,384 bytes is accepted, and a line of 16,385 is rejected', async () => {
    const shopApi = await openShopApi();
    const { line } = await prepare(shopApi);
    const [fits, over] = [newId(), newId()];
    const pad = (text: string, bytes: number): string => text.padEnd(bytes, ' ');
    const answer = await sendBatch(
      shopApi,
      `${pad(line(fits), 16_384)}\n${pad(line(over), 16_385)}`,
    );
    assert.deepEqual(answer.body, {
      accepted: 1,
      rejected: [
        { line: 2, error: 'invalid_request', detail: 'The line is longer than 16384 bytes.' },
      ],
    });
    assert.equal((await shopApi.call('GET', `/units/${over}`)).status, 404);
  });

  it('a batch of 10,000 lines is accepted; one of 10,001 is refused, and nothing is written (413)', async (t) => {
    const shopApi = await openShopApi();
    const { line } = await prepare(shopApi);
    const lines = Array.from({ length: 10_001 }, () => line(newId()));
    const head = await shopApi.head();
    const over = await sendBatch(shopApi, lines.join('\n'));
    assert.deepEqual([over.status, over.body['error']], [413, 'payload_too_large']);
    assert.equal(over.body['detail'], 'The body has more than 10000 lines. Nothing was written.');
    assert.equal(await shopApi.head(), head);
    const began = performance.now();
    const whole = await sendBatch(shopApi, `${lines.slice(0, 10_000).join('\n\n')}\n\n`);
    t.diagnostic(`10,000 units in ${Math.round(performance.now() - began)} ms`);
    assert.deepEqual([whole.status, whole.body], [200, { accepted: 10_000, rejected: [] }]);
    assert.equal(await shopApi.head(), head + 10_000);
  });

  it('a batch of 16 MiB of blank lines in 16 kB of gzip is refused (413)', async () => {
    const shopApi = await openShopApi();
    const packed = gzipSync(Buffer.alloc(16 * 1024 * 1024, '\n'));
    const answer = await sendBatch(shopApi, packed);
    assert.deepEqual(
      [answer.status, answer.body['detail']],
      [413, 'The body has more than 100000 lines, including blank ones. Nothing was written.'],
    );
  });

  it('more than 16 MiB, declared, in chunks or unpacked, is refused, and nothing is written', async () => {
    const shopApi = await openShopApi();
    const { line } = await prepare(shopApi);
    const head = await shopApi.head();
    const limit = 16 * 1024 * 1024;
    const start = `${line(newId())}\n`;
    const spaces = `${' '.repeat(1_023)}\n`.repeat(limit / 1_024);
    const whole = `${start}${spaces}`.slice(0, limit);
    const over = await sendBatch(shopApi, `${whole} `);
    assert.deepEqual([over.status, over.body['error']], [413, 'payload_too_large']);
    const packed = await sendBatch(shopApi, gzipSync(`${whole} `));
    assert.deepEqual([packed.status, packed.body['error']], [413, 'payload_too_large']);
    const chunked = await fetch(`http://127.0.0.1:${shopApi.port}/shop/v1/units/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shopApi.key}`,
        'content-type': 'application/x-ndjson',
      },
      body: new Blob([whole, ' ']).stream(),
      duplex: 'half',
    });
    assert.equal(chunked.status, 413);
    assert.equal(await shopApi.head(), head);
    const fits = await sendBatch(shopApi, whole);
    assert.deepEqual([fits.status, fits.body], [200, { accepted: 1, rejected: [] }]);
  });

  it('at most two of the largest batches per shop are buffered, and another shop is not delayed', async () => {
    const shopApi = await openShopApi();
    const sockets = await Promise.all(
      Array.from({ length: 3 }, async () => await holdUp(shopApi, 16 * 1024 * 1024 - 20)),
    );
    try {
      const first = await Promise.any(sockets.map(async (socket) => await once(socket, 'data')));
      assert.match(String(first[0]), /^HTTP\/1\.1 503 /);
      const headers = { 'content-type': 'application/x-ndjson' };
      const call = { body: '{}\n', headers, key: shopApi.otherKey };
      assert.equal((await shopApi.call('POST', '/units/batch', call)).status, 200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('nothing of an incomplete body is written', async () => {
    const shopApi = await openShopApi();
    const { line } = await prepare(shopApi);
    const id = newId();
    const head = await shopApi.head();
    const sent = Array.from({ length: 1_200 }, () => line(newId())).join('\n');
    const answer = await sendHalf(shopApi, `${line(id)}\n${sent}`);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /\r\n\r\n\{"error":"invalid_request"/);
    assert.equal((await shopApi.call('GET', `/units/${id}`)).status, 404);
    assert.equal(await shopApi.head(), head);
    const whole = await sendBatch(shopApi, `${line(id)}\n${sent}`);
    assert.equal(whole.body['accepted'], 1_201);
  });

  it('gzip is accepted, damaged gzip is refused, and an empty body is accepted', async () => {
    const shopApi = await openShopApi();
    const { line } = await prepare(shopApi);
    const [first, second] = [newId(), newId()];
    const packed = gzipSync(`${line(first)}\n${line(second)}\n`);
    const cut = await sendBatch(shopApi, packed.subarray(0, -12));
    assert.deepEqual(
      [cut.status, cut.body],
      [400, { error: 'invalid_request', detail: 'The gzip data ends early.' }],
    );
    assert.equal((await shopApi.call('GET', `/units/${first}`)).status, 404);
    assert.equal((await sendBatch(shopApi, packed)).body['accepted'], 2);
    const charset = { 'content-type': 'application/x-ndjson; charset=utf-8' };
    const plain = await shopApi.call('POST', '/units/batch', {
      body: line(first),
      headers: charset,
    });
    assert.deepEqual([plain.status, plain.body['accepted']], [200, 1]);
    for (const body of ['', '\n\n']) {
      const empty = await sendBatch(shopApi, body);
      assert.deepEqual([empty.status, empty.body], [200, { accepted: 0, rejected: [] }]);
    }
  });

  it('another content type is refused (415), but only after the key is checked (401)', async () => {
    const shopApi = await openShopApi();
    const json = await shopApi.call('POST', '/units/batch', { body: [] });
    assert.deepEqual([json.status, json.body['error']], [415, 'unsupported_media_type']);
    const headers = { 'content-type': 'application/x-ndjson' };
    const none = await shopApi.call('POST', '/units/batch', { key: null, body: '{}', headers });
    assert.equal(none.status, 401);
  });
});

/** Sends this many bytes of a batch of 16 MiB, then nothing more. */
async function holdUp(shopApi: TestShopApi, bytes: number): Promise<Socket> {
  const socket = createConnection(shopApi.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST /shop/v1/units/batch HTTP/1.1\r\nHost: cards.example\r\nAuthorization: Bearer ${shopApi.key}\r\n` +
      `Content-Type: application/x-ndjson\r\nContent-Length: ${16 * 1024 * 1024}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(bytes, ' '));
  await once(socket, 'connect');
  return socket;
}

/** Sends half of the declared body, half-closes the socket, and returns the response. */
async function sendHalf(shopApi: TestShopApi, body: string): Promise<string> {
  const bytes = Buffer.byteLength(body);
  const socket = createConnection(shopApi.port, '127.0.0.1');
  socket.end(
    `POST /shop/v1/units/batch HTTP/1.1\r\nHost: cards.example\r\nAuthorization: Bearer ${shopApi.key}\r\n` +
      `Content-Type: application/x-ndjson\r\nContent-Length: ${bytes * 2}\r\n\r\n${body}`,
  );
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
