// The cache of access tokens must be worth its rules (ARCHITECTURE, access on the hot path): calls a second over HTTP with
// it and without it, in turns. `npm run prove` runs it; the ratio is printed.
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { describe, it } from 'node:test';
import type { Channel } from '../src/database/channel.ts';
import { type PartnerNode, seedGrant, seedParty, startPartnerNode } from '../test/partner.ts';
import { openTestDatabase } from '../test/test-database.ts';

/** Calls of one turn, and turns of each kind: long enough that the machine's noise evens out. */
const CALLS = 4_000;
const TURNS = 3;
/** Requests under way at once. */
const CALLERS = 32;
/** Below this the cache would not pay for its invalidation. */
const RATIO_MIN = 1.1;
/** What else the machine does hides the gain, and never makes one: so it is measured again, at most this often. */
const ATTEMPTS_MAX = 5;

/** A channel that is always proven, or never: the same server otherwise. */
function channelThatIs(isProven: boolean): Channel {
  return {
    subscribe: () => undefined,
    onReset: () => undefined,
    isProven: () => isProven,
    provenAgeMs: () => 0,
    close: async () => undefined,
  };
}

async function call(agent: Agent, port: number, token: string): Promise<void> {
  const options = { agent, headers: { authorization: `Bearer ${token}` } };
  await new Promise<void>((resolve, reject) => {
    get(`http://127.0.0.1:${port}/partner/v1/inventory/changes`, options, (response) => {
      assert.equal(response.statusCode, 200);
      response.resume().once('end', resolve);
    }).once('error', reject);
  });
}

/** Calls a second of one turn. */
async function measure(node: PartnerNode, token: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const startMs = performance.now();
  const callers = Array.from({ length: CALLERS }, async () => {
    for (let count = 0; count < CALLS / CALLERS; count++) await call(agent, node.port, token);
  });
  await Promise.all(callers);
  const seconds = (performance.now() - startMs) / 1000;
  agent.destroy();
  return CALLS / seconds;
}

describe('the cache of access tokens', () => {
  it(`makes calls at least ${RATIO_MIN} times as many`, async (t) => {
    await using base = await openTestDatabase();
    const { token } = await seedGrant(base.db, await seedParty(base.db));
    await using cached = await startPartnerNode(base, { channel: channelThatIs(true) });
    await using asking = await startPartnerNode(base, { channel: channelThatIs(false) });
    await cached.call('POST', '/connection', { token });
    await measure(cached, token);
    await measure(asking, token);
    let ratio = 0;
    for (let attempt = 0; attempt < ATTEMPTS_MAX && ratio < RATIO_MIN; attempt++) {
      const rates = { cached: 0, asking: 0 };
      for (let turn = 0; turn < TURNS; turn++) {
        rates.cached += (await measure(cached, token)) / TURNS;
        rates.asking += (await measure(asking, token)) / TURNS;
      }
      ratio = rates.cached / rates.asking;
      t.diagnostic(
        `${rates.cached.toFixed(0)} calls a second cached, ${rates.asking.toFixed(0)} asking, ratio ${ratio.toFixed(2)}`,
      );
    }
    assert.ok(ratio >= RATIO_MIN, `ratio ${ratio.toFixed(2)}`);
  });
});
