// Proves that the cache of access tokens is worth its complexity (ARCHITECTURE.md, Access). It
// compares HTTP calls per second of CPU time with and without the cache, and prints the ratio.
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { describe, it } from 'node:test';
import type { Channel } from '../src/database/channel.ts';
import { type PartnerNode, seedGrant, seedParty, startPartnerNode } from '../test/partner.ts';
import { openTestDatabase } from '../test/test-database.ts';

/**
 * Turns with and without the cache alternate, and their medians are compared. Because turns are
 * short, other load on the machine affects both alike.
 */
const CALLS = 800;
const TURNS = 15;
/** The number of concurrent requests. */
const CALLERS = 32;
/** The minimum ratio. Below it, the cache would not be worth the cost of its invalidation. */
const RATIO_MIN = 1.1;
/**
 * Turns are repeated up to this many times until the medians reach the ratio, because more turns
 * reduce the noise.
 */
const ATTEMPTS_MAX = 10;

/** Returns a channel that is always or never live. A node uses its cache only while it is live. */
function channelThatIs(isProven: boolean): Channel {
  return {
    subscribe: () => undefined,
    onReset: () => undefined,
    isLive: () => isProven,
    heartbeatAgeMs: () => 0,
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

/**
 * Returns the calls per second of CPU time in one turn. CPU time depends less on other load than
 * wall time.
 */
async function measure(node: PartnerNode, token: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const before = process.threadCpuUsage();
  const callers = Array.from({ length: CALLERS }, async () => {
    for (let count = 0; count < CALLS / CALLERS; count++) await call(agent, node.port, token);
  });
  await Promise.all(callers);
  const { user, system } = process.threadCpuUsage(before);
  agent.destroy();
  return (CALLS * 1e6) / (user + system);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

describe('the cache of access tokens', () => {
  it(`the cache allows at least ${RATIO_MIN} times as many calls`, async (t) => {
    await using base = await openTestDatabase();
    const { token } = await seedGrant(base.db, await seedParty(base.db));
    await using cached = await startPartnerNode(base, { channel: channelThatIs(true) });
    await using asking = await startPartnerNode(base, { channel: channelThatIs(false) });
    await cached.call('POST', '/connection', { token });
    await measure(cached, token);
    await measure(asking, token);
    const rates: Record<'cached' | 'asking', number[]> = { cached: [], asking: [] };
    let ratio = 0;
    for (let attempt = 0; attempt < ATTEMPTS_MAX && ratio < RATIO_MIN; attempt++) {
      for (let turn = 0; turn < TURNS; turn++) {
        rates.cached.push(await measure(cached, token));
        rates.asking.push(await measure(asking, token));
      }
      const medians = { cached: medianOf(rates.cached), asking: medianOf(rates.asking) };
      ratio = medians.cached / medians.asking;
      t.diagnostic(
        `${medians.cached.toFixed(0)} calls/s with the cache, ${medians.asking.toFixed(0)} without, ratio ${ratio.toFixed(2)}`,
      );
    }
    assert.ok(ratio >= RATIO_MIN, `ratio ${ratio.toFixed(2)}`);
  });
});
