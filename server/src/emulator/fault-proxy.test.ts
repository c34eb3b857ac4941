import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { FaultProxy } from './fault-proxy.ts';
import { RequestLog } from './request-log.ts';
import { WireFaults } from './wire-faults.ts';

describe('the proxy of an emulator', () => {
  it('the proxy responds with 503 until the service has started', async () => {
    const clock = new ManualClock(new Date('2026-06-01T12:00:00.000Z'));
    await using front = await FaultProxy.open({
      port: 0,
      faults: new WireFaults(clock),
      log: new RequestLog(clock),
      target: () => null,
      admin: async (_request, response) => void response.end(),
    });
    const address = `http://127.0.0.1:${front.port}`;
    const told = await fetch(`${address}/auth/oauth2/token`, { method: 'POST' });
    assert.deepEqual([told.status, told.headers.get('retry-after')], [503, '1']);
    assert.deepEqual(await told.json(), {
      error: 'temporarily_unavailable',
      error_description: 'the emulator is starting',
    });
    // Errors of the Partner API have a single member (spec 7).
    const plain = await fetch(`${address}/partner/v1/connection`);
    assert.deepEqual(
      [plain.status, await plain.text()],
      [503, '{"error":"temporarily_unavailable"}'],
    );
  });
});
