import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, it } from 'node:test';
import { signRequest as signAsService } from '../../server/src/webhooks/event-request.ts';
import { signingKeysOf } from '../../server/src/webhooks/signature.ts';
import { type Notice, type ReceivedNotice, verifyNotice } from './notice.ts';
import { NoticeRefusedError } from './notice-refused.ts';
import { signNotice } from './testing.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const SECONDS = 1_780_315_200;
const NOTICE = {
  type: 'inventory.changed',
  tenantId: '7b0f7c56-3f0a-4d53-9d7e-6f1f3f5c2a10',
  connectionId: 'c3a2f6de-50c8-4a6c-8a5b-2f0f5a1f9d42',
  occurredAt: '2026-06-01T12:00:00.000Z',
};
const EVENT_ID = '2f1c63d9-64a1-4f0c-9a53-0d8a3a3d6f0e';

async function signed(): Promise<ReceivedNotice> {
  const options = { secret: SECRET, notice: NOTICE, timestamp: SECONDS, eventId: EVENT_ID };
  return { ...(await signNotice(options)), secret: SECRET, now: at(0) };
}

/** Returns a clock that is this many seconds after the notice. */
function at(seconds: number): () => number {
  return () => (SECONDS + seconds) * 1_000;
}

/** Returns the reason of the refusal, or `genuine`. */
async function check(changes: Readonly<Record<string, unknown>>): Promise<string> {
  try {
    await verifyNotice({ ...(await signed()), ...changes });
    return 'genuine';
  } catch (error) {
    if (error instanceof NoticeRefusedError) return error.reason;
    throw error;
  }
}

async function withHeader(name: string, value: unknown): Promise<Record<string, unknown>> {
  const { headers } = await signed();
  return { headers: { ...headers, [name]: value } };
}

describe('verifyNotice (specification 6)', () => {
  it('verifyNotice returns the content of a genuine notice', async () => {
    const notice: Notice = await verifyNotice(await signed());
    assert.deepEqual(notice, { ...NOTICE, eventId: EVENT_ID, attempt: 1 });
  });

  it('verifyNotice accepts the example in the documentation', async () => {
    const notice = await verifyNotice({
      body: JSON.stringify(NOTICE),
      headers: {
        'x-service-timestamp': '1780315200',
        'x-service-signature':
          'v1=307c849f1f6b60e14885f715864e6bbe0566036c0abb90f68dfc3615c1bd5104',
      },
      secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
      now: at(0),
    });
    assert.deepEqual(notice, { ...NOTICE, eventId: null, attempt: null });
  });

  it('a timestamp may be 299 s away, but not 300 s, in the past and in the future', async () => {
    for (const seconds of [299, 299.999, -299, -299.999]) {
      assert.equal(await check({ now: at(seconds) }), 'genuine', `${seconds}`);
    }
    for (const seconds of [300, -300, 300.001, 86_400]) {
      assert.equal(await check({ now: at(seconds) }), 'timestamp_too_far', `${seconds}`);
    }
    assert.equal(await check({ now: () => Number.NaN }), 'timestamp_too_far');
    assert.equal(await check({ toleranceSeconds: Number.NaN }), 'timestamp_too_far');
    assert.equal(await check({ now: at(10), toleranceSeconds: 10 }), 'timestamp_too_far');
  });

  it('verifyNotice refuses an altered body, timestamp, signature or secret', async () => {
    const { body, headers } = await signed();
    const text = String(body);
    for (const altered of [text.replace('inventory', 'Inventory'), text.slice(1), `${text} `, '']) {
      assert.equal(await check({ body: altered }), 'signature_wrong', altered);
    }
    assert.equal(await check({ secret: OTHER }), 'signature_wrong');
    assert.equal(
      await check(await withHeader('X-Service-Timestamp', String(SECONDS + 1))),
      'signature_wrong',
    );
    const genuine = String(Reflect.get(headers, 'X-Service-Signature'));
    for (const signature of [
      '',
      'v1=',
      genuine.slice(3),
      genuine.toUpperCase(),
      genuine.replace('v1=', 'v0='),
      `${genuine},${genuine}`,
      `${genuine} `,
      genuine.slice(0, -1),
      genuine.slice(0, -2),
    ]) {
      const changed = await withHeader('X-Service-Signature', signature);
      assert.equal(await check(changed), 'signature_wrong', signature);
    }
  });

  it('verifyNotice refuses a timestamp with anything but digits, and duplicate headers', async () => {
    for (const timestamp of [
      '',
      ` ${SECONDS}`,
      `+${SECONDS}`,
      `${SECONDS}.0`,
      '0x6a',
      '１７８０',
    ]) {
      const changed = await withHeader('X-Service-Timestamp', timestamp);
      assert.equal(await check(changed), 'timestamp_malformed', timestamp);
    }
    const twice = [String(SECONDS), String(SECONDS)];
    assert.equal(
      await check(await withHeader('X-Service-Timestamp', twice)),
      'timestamp_malformed',
    );
    assert.equal(
      await check(await withHeader('x-service-signature', 'v1=')),
      'signature_malformed',
    );
    const none = await withHeader('X-Service-Timestamp', undefined);
    assert.equal(await check(none), 'timestamp_missing');
    assert.equal(
      await check(await withHeader('X-Service-Signature', undefined)),
      'signature_missing',
    );
  });

  it('verifyNotice accepts the timestamp exactly as it was signed, up to 11 digits', async () => {
    const { body, headers } = await signed();
    for (const [timestamp, expected] of [
      [`0${SECONDS}`, 'genuine'],
      [`9${SECONDS}`, 'timestamp_too_far'],
      [`00${SECONDS}`, 'timestamp_malformed'],
    ] as const) {
      const mac = createHmac('sha256', SECRET)
        .update(`${timestamp}.${String(body)}`)
        .digest('hex');
      const sent = { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': `v1=${mac}` };
      assert.equal(await check({ headers: { ...headers, ...sent } }), expected, timestamp);
    }
  });

  it('verifyNotice accepts headers in the form of every common framework', async () => {
    const { headers } = await signed();
    const pairs = Object.entries(headers).map(([k, v]): [string, string] => [k, String(v)]);
    const lower = pairs.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
    for (const form of [
      new Headers(pairs),
      new Map(pairs),
      pairs,
      pairs.flat(),
      Object.fromEntries(lower),
      Object.fromEntries(lower.map(([name, value]) => [name, [value]])),
      { get: (name: string) => new Headers(pairs).get(name) },
    ]) {
      assert.equal(await check({ headers: form }), 'genuine', inspect(form));
    }
  });

  it('verifyNotice accepts bytes and text, including non-ASCII text', async () => {
    const { body, headers } = await signNotice({ secret: SECRET, notice: { type: '在庫' } });
    for (const form of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
      const notice = await verifyNotice({ body: form, headers, secret: SECRET });
      assert.equal(notice.type, '在庫');
    }
  });

  it('verifyNotice refuses a parsed body, and says how to get the raw body in each framework', async () => {
    for (const body of [NOTICE, undefined, null, [1], new ArrayBuffer(3)]) {
      assert.equal(await check({ body }), 'body_not_raw');
    }
    const { message } = new NoticeRefusedError('body_not_raw');
    for (const framework of ['node:http', 'Express', 'Fastify', 'Hono', 'Next']) {
      assert.match(message, new RegExp(framework));
    }
  });

  it('verifyNotice refuses a signed body that is not a notice', async () => {
    const { subtle } = crypto;
    const key = await subtle.importKey(
      'raw',
      Buffer.from(SECRET),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    );
    for (const body of [
      '',
      'x',
      'null',
      '[]',
      '7',
      '"x"',
      '{}',
      '{"type":1}',
      JSON.stringify({ ...NOTICE, tenantId: 1 }),
    ]) {
      const mac = await subtle.sign('HMAC', key, Buffer.from(`${SECONDS}.${body}`));
      const signature = `v1=${Buffer.from(mac).toString('hex')}`;
      const changed = await withHeader('X-Service-Signature', signature);
      assert.equal(await check({ ...changed, body }), 'body_malformed', body);
      const secret = (): string => SECRET;
      assert.equal(await check({ ...changed, body, secret }), 'body_malformed', body);
    }
  });

  it('verifyNotice accepts any of several secrets, and refuses empty and malformed secrets', async () => {
    assert.equal(await check({ secret: [OTHER, SECRET] }), 'genuine');
    assert.equal(await check({ secret: [OTHER] }), 'signature_wrong');
    for (const secret of ['', undefined, null, [], () => undefined, async () => []]) {
      assert.equal(await check({ secret }), 'secret_missing');
    }
    assert.equal(await check({ secret: () => [OTHER, SECRET] }), 'genuine');
    for (const secret of ['whsec_', [SECRET, ''], [SECRET, undefined], 7]) {
      await assert.rejects(check({ secret }), { name: 'TypeError', message: /registerWebhook/ });
    }
  });

  it('an error contains neither the secret nor the signature', async () => {
    const { headers } = await signed();
    const error = await verifyNotice({ ...(await signed()), body: 'x' }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    const shown = inspect(error, { depth: 9, showHidden: true });
    assert.equal(shown.includes(SECRET), false);
    assert.equal(shown.includes(String(Reflect.get(headers, 'X-Service-Signature'))), false);
  });
});

describe('signNotice of @cardport/client/testing', () => {
  it('signNotice creates the same headers as the service', async () => {
    const ours = await signNotice({
      secret: SECRET,
      previousSecret: OTHER,
      notice: NOTICE,
      timestamp: SECONDS,
      eventId: EVENT_ID,
      attempt: 3,
    });
    const service = signAsService({
      url: 'https://app.example/hook',
      body: Buffer.from(ours.body),
      eventId: EVENT_ID,
      attempt: 3,
      keys: [signingKeysOf(SECRET), signingKeysOf(OTHER)],
      at: new Date(SECONDS * 1_000),
    });
    const { 'user-agent': _, ...expected } = service.headers;
    assert.deepEqual(ours.headers, expected);
  });

  it('signNotice creates a notice of the current time with new ids by default', async () => {
    const one = await signNotice({ secret: SECRET });
    const two = await signNotice({ secret: SECRET });
    const notice = await verifyNotice({ ...one, secret: SECRET });
    assert.deepEqual([notice.type, notice.attempt], ['inventory.changed', 1]);
    assert.notEqual(notice.eventId, two.headers['webhook-id']);
  });
});
