import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { describe, it } from 'node:test';
import { startServe } from '../../test/cardport.ts';
import { environmentOf } from '../../test/cardport-in-process.ts';
import { seedGrant, seedParty } from '../../test/partner.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';

/** How long the process returns 503 from `/readyz` before it closes its port. */
const NOTICE_SECONDS = 1;
/** With this many keep-alive clients, there is always a request in flight. */
const CLIENTS = 8;
/** Test tokens are issued on a past date, but the process uses the real time. */
const LIFETIME_SECONDS = 100 * 365 * 86_400;

interface Outcome {
  readonly atMs: number;
  /** The status, or null if there was no response. */
  readonly status: number | null;
}

async function ask(agent: Agent, baseUrl: string, token: string): Promise<number | null> {
  return await new Promise((resolve) => {
    const options = { agent, headers: { authorization: `Bearer ${token}` } };
    const request = get(`${baseUrl}/inventory/changes`, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve(text.endsWith('}') ? (response.statusCode ?? 0) : 0));
      // The response was cut off.
      response.on('error', () => resolve(0));
    });
    request.on('error', () => resolve(null));
  });
}

describe('SIGTERM under load', () => {
  it('a server that gets SIGTERM under load loses no request, and ends with exit code 0', async () => {
    await using base = await openTestDatabase();
    await using child = await startServe({
      ...environmentOf(base),
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'silent',
      DRAIN_NOTICE_SECONDS: String(NOTICE_SECONDS),
      DRAIN_SECONDS: '10',
    });
    const resource = `${child.url}/partner/v1`;
    const lifetimeSeconds = LIFETIME_SECONDS;
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party, { lifetimeSeconds, resource });
    const headers = { authorization: `Bearer ${token}` };
    const connected = await fetch(`${resource}/connection`, { method: 'POST', headers });
    assert.equal(connected.status, 201);
    const outcomes: Outcome[] = [];
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (!isOver) {
        const status = await ask(agent, resource, token);
        outcomes.push({ atMs: performance.now(), status });
        if (status === null) return;
      }
    });
    await waitUntil(() => outcomes.length > 200);
    const signalledAtMs = performance.now();
    const code = await child.stop('SIGTERM');
    isOver = true;
    await Promise.all(clients);
    assert.equal(code, 0);
    const answered = outcomes.filter(({ status }) => status !== null);
    assert.ok(answered.every(({ status }) => status === 200));
    const late = answered.filter(({ atMs }) => atMs > signalledAtMs + NOTICE_SECONDS * 500);
    assert.ok(late.length > 0, 'still served during the notice');
    const lost = outcomes.filter(
      ({ status, atMs }) => status === null && atMs < signalledAtMs + NOTICE_SECONDS * 900,
    );
    assert.deepEqual(lost, [], 'no request is refused before the notice has ended');
  });
});
