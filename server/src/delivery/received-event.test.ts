import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ReceiverReport } from '../../test/verifying-receiver.ts';
import type { SignedRequest } from '../webhooks/attempt.ts';
import { openGuardedSender } from './guarded-sender.ts';
import { renderEvent, signRequest } from '../webhooks/event-request.ts';
import { signingKeysOf } from '../webhooks/signature.ts';

const NEWEST = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const PREVIOUS = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 11).toString('base64')}`;
const BODY = renderEvent({
  shopId: '6e1f5a1c-2b0e-4a53-9a53-0d0a0f1b2c3d',
  connectionId: '11111111-2222-4333-8444-555555555555',
  occurredAt: new Date('2026-03-01T04:05:06.070Z'),
});

function sign([newest, ...previous]: readonly [string, ...string[]], url: string): SignedRequest {
  const eventId = '0b8a4a2e-54f0-4f62-a1d0-7d9b1a2f3c4d';
  const keys = [signingKeysOf(newest), ...previous.map(signingKeysOf)] as const;
  return signRequest({ url, body: BODY, eventId, attempt: 1, keys, at: new Date() });
}

describe('a separate receiver process', () => {
  it('a receiver accepts events that the service signed, in both signature schemes, and refuses changed events', async () => {
    await using receiver = await startReceiver([NEWEST, PREVIOUS, OTHER]);
    const sender = openGuardedSender({ allowsLoopback: true });
    const notice = sign([NEWEST, PREVIOUS], receiver.url);
    const result = await sender.send(notice, new AbortController().signal);
    await sender.close();
    assert.equal(result.kind, 'delivered');
    const told = await receiver.next();
    // While two secrets overlap, Cardport's signature uses only the newest secret. Standard
    // Webhooks sends a signature for each.
    assert.deepEqual(told.sdk, ['genuine', 'signature_wrong', 'signature_wrong']);
    assert.deepEqual(told.standard, ['genuine', 'genuine', 'No matching signature found']);
    assert.equal(told.body, BODY.toString());
    assert.equal(told.headers['content-length'], String(BODY.length));
    for (const name of ['accept-encoding', 'cookie', 'authorization', 'transfer-encoding']) {
      assert.equal(told.headers[name], undefined, name);
    }

    await post(notice, { body: Buffer.from(BODY.toString().replace('c3d', 'c3e')) });
    const body = await receiver.next();
    assert.deepEqual(body.sdk.concat(body.standard), [...WRONG_SDK, ...WRONG_STANDARD]);

    const seconds = String(Number(notice.headers['X-Service-Timestamp']) - 1);
    await post(notice, {
      headers: { 'X-Service-Timestamp': seconds, 'webhook-timestamp': seconds },
    });
    const moved = await receiver.next();
    assert.deepEqual(moved.sdk.concat(moved.standard), [...WRONG_SDK, ...WRONG_STANDARD]);

    await post(sign([OTHER], receiver.url));
    const alone = await receiver.next();
    assert.deepEqual(alone.sdk, ['signature_wrong', 'signature_wrong', 'genuine']);
    assert.equal(alone.standard[0], 'No matching signature found');
    assert.equal(alone.standard[2], 'genuine');
  });
});

const WRONG_SDK = ['signature_wrong', 'signature_wrong', 'signature_wrong'];
const WRONG_STANDARD = WRONG_SDK.map(() => 'No matching signature found');

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

/**
 * Posts an event with a changed body or headers, as an attacker between Cardport and the receiver
 * would.
 */
async function post(
  notice: SignedRequest,
  changed: { readonly body?: Buffer; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const headers = { ...notice.headers, ...changed.headers };
  const sent = request(notice.url, { method: 'POST', headers });
  sent.end(changed.body ?? notice.body);
  sent.once('response', (response) => response.resume());
  await once(sent, 'response');
}
