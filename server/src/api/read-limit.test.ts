import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_NOW,
} from '../../test/partner.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';
import { readChanges, readHead } from '../inventory/feed.ts';
import { putSite } from '../inventory/site.ts';

const READS = 30;
const POOL_CLIENTS = 8;

interface Readers {
  readonly shopId: string;
  readonly token: string;
  /** The token of another shop's app. */
  readonly otherToken: string;
}

/** Seeds a shop with a site and a connected app, and another shop with a connected app. */
async function seedReaders(node: PartnerNode): Promise<Readers> {
  const party = await seedParty(node.db);
  const { token } = await seedGrant(node.db, party);
  await node.call('POST', '/connection', { token });
  await node.db.transaction(async (tx) => {
    const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
    const site = { code: 'main', name: '本店', kind: 'store' as const, ...place };
    await putSite(tx, party.shop.id, newId(), site, TEST_NOW);
  });
  const other = await seedGrant(node.db, await seedParty(node.db));
  await node.call('POST', '/connection', { token: other.token });
  return { shopId: party.shop.id, token, otherToken: other.token };
}

describe('many concurrent reads of one app (decision 0122)', () => {
  it('reads wait for a slot, and all reads of a burst are answered', async () => {
    await using base = await openTestDatabase();
    await using node = await startPartnerNode(base);
    const { shopId, token } = await seedReaders(node);
    const asked = [
      ['/inventory/changes', 200],
      ['/inventory/sites', 200],
      [`/cards/${newId()}`, 404],
    ] as const;
    const reads = Array.from({ length: READS }, async (_, n) => {
      const [path, status] = asked[n % asked.length] ?? asked[0];
      assert.equal((await node.call('GET', path, { token })).status, status, path);
    });
    await Promise.all(reads);
    // No slot is free, so no page is read. An idle poll needs no slot.
    const runInSlot = async (): Promise<undefined> => await Promise.resolve(undefined);
    const options = { limit: 10, canSeeCost: false, runInSlot };
    assert.deepEqual(await readChanges(node.db, shopId, null, options), { kind: 'busy' });
    const head = await readHead(node.db, shopId);
    assert.equal((await readChanges(node.db, shopId, head, options)).kind, 'page');
  });

  it('the reads of one app use one connection of the pool, and do not delay idle polls and other apps', async () => {
    await using base = await openTestDatabase();
    // Only this test's requests may wait for a connection, so postpone the background jobs.
    const feedReadTimes = { notifyEveryMs: 600_000, flushEveryMs: 600_000 };
    await using node = await startPartnerNode(base, { feedReadTimes });
    await node.search.close();
    const { token, otherToken } = await seedReaders(node);
    const read = await node.call('GET', '/inventory/changes', { token });
    const { nextCursor } = JSON.parse(read.text);
    const released = Promise.withResolvers<void>();
    let held = 0;
    const holders = Array.from({ length: POOL_CLIENTS }, async () => {
      await node.db.transaction(async () => {
        held += 1;
        await released.promise;
      });
    });
    await waitUntil(() => held === POOL_CLIENTS);
    const waiting = (): number => node.db.poolState().waiting;
    assert.equal(waiting(), 0);
    const pages = Array.from(
      { length: READS },
      async () => await node.call('GET', '/inventory/changes', { token }),
    );
    await waitUntil(() => waiting() === 1);
    const poll = await node.call('GET', `/inventory/changes?cursor=${nextCursor}`, { token });
    assert.equal(poll.status, 200);
    const others = node.call('GET', '/inventory/sites', { token: otherToken });
    await waitUntil(() => waiting() === 2);
    released.resolve();
    assert.equal((await others).status, 200);
    for (const { status } of await Promise.all(pages)) assert.equal(status, 200);
    await Promise.all(holders);
  });
});
