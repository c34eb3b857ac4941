import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ReceiverReport } from '../../test/verifying-receiver.ts';
import type { SignedNotice } from './attempt.ts';
import { openGuardedSender } from './guarded-sender.ts';
import { renderNotice, signNotice } from './notice.ts';
import { type NoticeVerdict, verifyNotice } from './verify-notice.ts';

const NEWEST = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const PREVIOUS = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 11).toString('base64')}`;
const AT = new Date('2026-03-01T04:05:10.000Z');
const SECONDS = AT.getTime() / 1_000;
const BODY = renderNotice({
  shopId: '6e1f5a1c-2b0e-4a53-9a53-0d0a0f1b2c3d',
  connectionId: '11111111-2222-4333-8444-555555555555',
  occurredAt: new Date('2026-03-01T04:05:06.070Z'),
});

function sign(
  secrets: readonly [string, string?],
  at = AT,
  url = 'https://a.example/',
): SignedNotice {
  const eventId = '0b8a4a2e-54f0-4f62-a1d0-7d9b1a2f3c4d';
  return signNotice({ url, body: BODY, eventId, attempt: 1, secrets, at });
}

function received(notice: SignedNotice): Record<string, string> {
  return Object.fromEntries(
    Object.entries(notice.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function check(
  changes: Readonly<Record<string, string | string[] | undefined>>,
  options: { readonly now?: Date; readonly secret?: string; readonly body?: Uint8Array } = {},
): string {
  const headers = { ...received(sign([NEWEST])), ...changes };
  const given = { body: options.body ?? BODY, headers };
  const verdict: NoticeVerdict = verifyNotice(given, options.secret ?? NEWEST, options.now ?? AT);
  return verdict.kind === 'genuine' ? 'genuine' : verdict.reason;
}

function later(seconds: number): Date {
  return new Date(AT.getTime() + seconds * 1_000);
}

describe('the check of a notice (specification 6)', () => {
  it('passes at a difference of 299 s and rejects at 300 s, in both directions', () => {
    assert.equal(check({}, { now: later(299) }), 'genuine');
    assert.equal(check({}, { now: later(299.999) }), 'genuine');
    assert.equal(check({}, { now: later(-299) }), 'genuine');
    assert.equal(check({}, { now: later(300) }), 'timestamp_too_far');
    assert.equal(check({}, { now: later(-300) }), 'timestamp_too_far');
    assert.equal(check({}, { now: later(-299.999) }), 'genuine');
    assert.equal(check({}, { now: later(-300.001) }), 'timestamp_too_far');
  });

  it('refuses an altered body, timestamp, signature or secret', () => {
    assert.equal(check({}), 'genuine');
    const altered = Buffer.from(BODY.toString().replace('inventory', 'Inventory'));
    assert.equal(check({}, { body: altered }), 'signature_wrong');
    assert.equal(check({}, { body: BODY.subarray(1) }), 'signature_wrong');
    assert.equal(check({}, { body: new Uint8Array() }), 'signature_wrong');
    assert.equal(check({ 'x-service-timestamp': String(SECONDS + 1) }), 'signature_wrong');
    assert.equal(check({}, { secret: OTHER }), 'signature_wrong');
    // The key is the string: neither the bytes behind it nor the string without its prefix.
    assert.equal(check({}, { secret: NEWEST.slice('whsec_'.length) }), 'signature_wrong');
    const genuine = received(sign([NEWEST]))['x-service-signature'] ?? '';
    for (const signature of [
      '',
      'v1=',
      genuine.slice(3),
      genuine.toUpperCase(),
      genuine.replace('v1=', 'v0='),
      `${genuine},${genuine}`,
      `${genuine} `,
      genuine.slice(0, -1),
    ]) {
      assert.equal(check({ 'x-service-signature': signature }), 'signature_wrong', signature);
    }
  });

  it('refuses a timestamp that is anything but digits', () => {
    for (const timestamp of [
      '',
      ` ${SECONDS}`,
      `+${SECONDS}`,
      `-${SECONDS}`,
      `${SECONDS}.0`,
      `${SECONDS}e0`,
      `0x${SECONDS.toString(16)}`,
      `${SECONDS}\n`,
      '１７７２３３７９１０',
      AT.toISOString(),
    ]) {
      assert.equal(check({ 'x-service-timestamp': timestamp }), 'timestamp_malformed', timestamp);
    }
    const repeated = [String(SECONDS), String(SECONDS)];
    assert.equal(check({ 'x-service-timestamp': repeated }), 'timestamp_malformed');
    // Milliseconds are far from every clock.
    assert.equal(check({ 'x-service-timestamp': `${SECONDS}0` }), 'timestamp_too_far');
  });

  it('tells which header is missing', () => {
    assert.equal(check({ 'x-service-timestamp': undefined }), 'timestamp_missing');
    assert.equal(check({ 'x-service-signature': undefined }), 'signature_missing');
  });

  it('refuses whatever is not the raw bytes', () => {
    const headers = received(sign([NEWEST]));
    for (const body of [BODY.toString(), JSON.parse(BODY.toString()), undefined, null]) {
      const verdict = verifyNotice({ body, headers }, NEWEST, AT);
      assert.deepEqual(verdict, { kind: 'refused', reason: 'body_not_raw' });
    }
  });
});

describe('a receiver process of its own', () => {
  it('takes what we sign, both ways, and refuses whatever was altered', async () => {
    await using receiver = await startReceiver([NEWEST, PREVIOUS, OTHER]);
    const sender = openGuardedSender({ allowsLoopback: true });
    const notice = sign([NEWEST, PREVIOUS], new Date(), receiver.url);
    const result = await sender.send(notice, new AbortController().signal);
    await sender.close();
    assert.equal(result.kind, 'delivered');
    const told = await receiver.next();
    // In the overlap the house signature is by the newest secret alone, Standard Webhooks knows both.
    assert.deepEqual(told.house, ['genuine', 'signature_wrong', 'signature_wrong']);
    assert.deepEqual(told.standard, ['genuine', 'genuine', 'No matching signature found']);
    assert.equal(told.body, BODY.toString());
    assert.equal(told.headers['content-length'], String(BODY.length));
    // Nothing is asked for or told beyond what a notice needs.
    for (const name of ['accept-encoding', 'cookie', 'authorization', 'transfer-encoding']) {
      assert.equal(told.headers[name], undefined, name);
    }

    await post(notice, { body: Buffer.from(BODY.toString().replace('c3d', 'c3e')) });
    const body = await receiver.next();
    assert.deepEqual(body.house.concat(body.standard), [...WRONG_HOUSE, ...WRONG_STANDARD]);

    const seconds = String(Number(notice.headers['X-Service-Timestamp']) - 1);
    await post(notice, {
      headers: { 'X-Service-Timestamp': seconds, 'webhook-timestamp': seconds },
    });
    const moved = await receiver.next();
    assert.deepEqual(moved.house.concat(moved.standard), [...WRONG_HOUSE, ...WRONG_STANDARD]);

    await post(sign([OTHER], new Date(), receiver.url));
    const alone = await receiver.next();
    assert.deepEqual(alone.house, ['signature_wrong', 'signature_wrong', 'genuine']);
    assert.equal(alone.standard[0], 'No matching signature found');
    assert.equal(alone.standard[2], 'genuine');
  });
});

const WRONG_HOUSE = ['signature_wrong', 'signature_wrong', 'signature_wrong'];
const WRONG_STANDARD = WRONG_HOUSE.map(() => 'No matching signature found');

interface Receiver extends AsyncDisposable {
  readonly url: string;
  next(): Promise<ReceiverReport>;
}

async function startReceiver(secrets: readonly string[]): Promise<Receiver> {
  const program = fileURLToPath(new URL('../../test/verifying-receiver.ts', import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', program, ...secrets], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  const port = await next();
  return {
    url: `http://127.0.0.1:${port}/hook`,
    next: async () => JSON.parse(await next()),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** Posts a notice with some of it changed, as somebody between us and the receiver would. */
async function post(
  notice: SignedNotice,
  changed: { readonly body?: Buffer; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const headers = { ...notice.headers, ...changed.headers };
  const sent = request(notice.url, { method: 'POST', headers });
  sent.end(changed.body ?? notice.body);
  sent.once('response', (response) => response.resume());
  await once(sent, 'response');
}
