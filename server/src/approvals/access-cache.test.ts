import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setAppEnabled } from '../apps/app.ts';
import { ManualClock } from '../base/clock.ts';
import { newId, newSecret, newSecretOfShop } from '../base/secrets.ts';
import { removeApp } from '../connections/connection.ts';
import type { Database } from '../database/database.ts';
import { openChannel } from '../database/open-channel.ts';
import { postgresqlEngine } from '../database/postgresql-engine.ts';
import { setMember } from '../shops/member.ts';
import { openTcpProxy } from '../../test/tcp-proxy.ts';
import { FakeChannel } from '../../test/fake-channel.ts';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_NOW,
  type TestGrant,
  type TestParty,
  usePartnerNode,
} from '../../test/partner.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { endApproval } from './approval.ts';
import { AccessCache } from './access-cache.ts';
import { OPERATOR } from '../shops/audit.ts';

/** Counts a database's queries, and can delay their results. */
class WatchedDatabase {
  asked = 0;
  answered = 0;
  hold: Promise<void> | null = null;
  readonly db: Database;

  constructor(db: Database) {
    this.db = new Proxy(db, {
      get: (target, name): unknown => {
        if (name === 'one') return this.#watch(target);
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  #watch(target: Database): Database['one'] {
    return async (statement, values) => {
      this.asked++;
      const answer = await target.one(statement, values);
      this.answered++;
      await this.hold;
      return answer;
    };
  }
}

interface Connected {
  readonly party: TestParty;
  readonly grant: TestGrant;
}

async function seedConnected(
  { base, node }: { readonly base: TestDatabase; readonly node: PartnerNode },
  lifetimeSeconds: number,
): Promise<Connected> {
  const party = await seedParty(base.db);
  const grant = await seedGrant(base.db, party, { lifetimeSeconds });
  assert.equal((await node.call('POST', '/connection', { token: grant.token })).status, 201);
  return { party, grant };
}

describe('the cache of access tokens', () => {
  const scene = usePartnerNode();

  it('the cache queries the database once while the channel is live, and otherwise for each call', async () => {
    const { base } = scene();
    const { party, grant } = await seedConnected(scene(), 900);
    const channel = new FakeChannel();
    const watched = new WatchedDatabase(base.db);
    const cache = new AccessCache(watched.db, channel, new ManualClock(TEST_NOW));
    const { token } = grant;
    for (let call = 0; call < 3; call++) {
      assert.equal((await cache.find(token))?.clientId, party.app.clientId);
    }
    assert.equal(watched.asked, 1);
    channel.live = false;
    for (let call = 0; call < 3; call++) assert.ok(await cache.find(token));
    assert.equal(watched.asked, 4);
    channel.live = true;
    assert.ok(await cache.find(token));
    assert.equal(
      watched.asked,
      4,
      'the channel is live again without a reset, so no notification was missed',
    );
    channel.notify('access', newId());
    await cache.find(token);
    assert.equal(watched.asked, 4, 'the notification was for another shop');
    channel.notify('access', party.shop.id);
    await cache.find(token);
    assert.equal(watched.asked, 5);
    channel.reset();
    await cache.find(token);
    assert.equal(watched.asked, 6);
  });

  it('the cache sends no query for an invalid token and one for an unknown token', async () => {
    const { base } = scene();
    const { grant } = await seedConnected(scene(), 900);
    const watched = new WatchedDatabase(base.db);
    const cache = new AccessCache(watched.db, new FakeChannel(), new ManualClock(TEST_NOW));
    async function asks(token: string): Promise<readonly [isFound: boolean, asked: number]> {
      const before = watched.asked;
      return [(await cache.find(token)) !== undefined, watched.asked - before];
    }
    const other = newSecretOfShop('cpa', (await seedParty(base.db)).shop.id);
    const invalid = ['', 'x', 'cpa_', ...(['cpa', 'cpr', 'csk'] as const).map(newSecret)];
    for (const text of [...invalid, `${grant.token}0`]) {
      assert.deepEqual(await asks(text), [false, 0], text);
    }
    assert.deepEqual(await asks(other), [false, 1]);
    assert.deepEqual(await asks(newSecretOfShop('cpa', newId())), [false, 1]);
  });

  it('a cached token expires at its exact instant', async () => {
    const { base } = scene();
    const { grant } = await seedConnected(scene(), 10);
    const clock = new ManualClock(TEST_NOW);
    const cache = new AccessCache(base.db, new FakeChannel(), clock);
    const { token } = grant;
    assert.ok(await cache.find(token));
    clock.advance(9_999);
    assert.ok(await cache.find(token));
    clock.advance(1);
    assert.equal(await cache.find(token), undefined);
  });

  it('access that was read before an invalidation is not cached', async () => {
    const { base } = scene();
    const { party, grant } = await seedConnected(scene(), 900);
    const channel = new FakeChannel();
    const watched = new WatchedDatabase(base.db);
    const cache = new AccessCache(watched.db, channel, new ManualClock(TEST_NOW));
    let release = (): void => undefined;
    watched.hold = new Promise((resolve) => {
      release = resolve;
    });
    const slow = cache.find(grant.token);
    await waitUntil(() => watched.answered === 1);
    await base.db.transaction(
      async (tx) => await endApproval(tx, grant, 'token_revoked', TEST_NOW, OPERATOR),
    );
    channel.notify('access', party.shop.id);
    release();
    assert.ok(await slow, 'it was asked before the end');
    assert.equal(await cache.find(grant.token), undefined);
  });

  it('a refusal is not cached, so a new permission works immediately', async () => {
    const { base, node } = scene();
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party);
    const cache = new AccessCache(base.db, new FakeChannel(), new ManualClock(TEST_NOW));
    assert.equal((await cache.find(token))?.connection, null);
    await node.call('POST', '/connection', { token });
    assert.notEqual((await cache.find(token))?.connection, null);
  });
});

interface Ending {
  readonly name: string;
  readonly end: (base: TestDatabase, connected: Connected) => Promise<unknown>;
  readonly status: number;
}

const ENDINGS: readonly Ending[] = [
  {
    name: 'a revoked token',
    end: async ({ db }, { grant }) =>
      await db.transaction(
        async (tx) => await endApproval(tx, grant, 'token_revoked', TEST_NOW, OPERATOR),
      ),
    status: 401,
  },
  {
    name: 'a disabled app',
    end: async ({ db }, { party }) =>
      await db.transaction(
        async (tx) => await setAppEnabled(tx, party.app.clientId, false, TEST_NOW, OPERATOR),
      ),
    status: 403,
  },
  {
    name: 'a removed app',
    end: async ({ db }, { party }) =>
      await db.transaction(
        async (tx) => await removeApp(tx, party.app.clientId, TEST_NOW, OPERATOR),
      ),
    status: 403,
  },
  {
    name: 'an inactive member',
    end: async ({ db }, { party }) =>
      await db.transaction(
        async (tx) =>
          await setMember(
            tx,
            party.shop.id,
            party.accountId,
            { isActive: false },
            TEST_NOW,
            OPERATOR,
          ),
      ),
    status: 403,
  },
];

describe('two nodes on one database', () => {
  it('a node applies revocations and new permissions from the other node', async () => {
    await using base = await openTestDatabase();
    await using a = await startPartnerNode(base);
    await using b = await startPartnerNode(base);
    for (const { name, end, status } of ENDINGS) {
      const party = await seedParty(base.db);
      const grant = await seedGrant(base.db, party);
      const { token } = grant;
      assert.equal((await b.call('GET', '/inventory/sites', { token })).status, 403);
      assert.equal((await a.call('POST', '/connection', { token })).status, 201);
      assert.equal((await b.call('GET', '/inventory/sites', { token })).status, 200, name);
      await end(base, { party, grant });
      for (const node of [a, b]) {
        const sees = async (): Promise<boolean> =>
          (await node.call('GET', '/inventory/sites', { token })).status === status;
        await waitUntil(sees);
      }
    }
  });

  it('a node applies its own revocations immediately', async () => {
    await using base = await openTestDatabase();
    // The channel delivers nothing, because a notification may arrive after the next request.
    await using node = await startPartnerNode(base, { channel: new FakeChannel() });
    const grant = await seedGrant(base.db, await seedParty(base.db));
    const { token } = grant;
    await node.call('POST', '/connection', { token });
    assert.equal((await node.call('GET', '/inventory/sites', { token })).status, 200);
    assert.ok(!(node.accesses.find(token) instanceof Promise), 'it is cached');
    await node.db.transaction(
      async (tx) => await endApproval(tx, grant, 'token_revoked', TEST_NOW, OPERATOR),
    );
    assert.equal((await node.call('GET', '/inventory/sites', { token })).status, 401);
  });
});

describe('a node whose listening connection is frozen', () => {
  it('a node whose listening connection is frozen stops using its cache', async (t) => {
    await using base = await openTestDatabase();
    const behindWire = new URL(base.url);
    await using wire = await openTcpProxy(Number(behindWire.port));
    behindWire.port = String(wire.port);
    const engine = postgresqlEngine(behindWire.href);
    const channel = await openChannel(engine, { onFault: () => undefined });
    await using a = await startPartnerNode(base);
    await using b = await startPartnerNode(base, { channel });
    const { token } = await seedGrant(base.db, await seedParty(base.db));
    await a.call('POST', '/connection', { token });
    const isKept = (): boolean => !(b.accesses.find(token) instanceof Promise);
    await waitUntil(async () => {
      assert.equal((await b.call('GET', '/inventory/sites', { token })).status, 200);
      return isKept();
    });
    wire.freeze();
    const endedAtMs = performance.now();
    await a.call('DELETE', '/connection', { token });
    assert.equal(
      (await b.call('GET', '/inventory/sites', { token })).status,
      200,
      'the notification did not arrive',
    );
    const sees = async (): Promise<boolean> =>
      (await b.call('GET', '/inventory/sites', { token })).status === 403;
    await waitUntil(sees);
    t.diagnostic(`after ${Math.round(performance.now() - endedAtMs)} ms; the window is 1,000 ms`);
    wire.thaw();
  });
});
