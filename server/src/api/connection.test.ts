import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endConnectionIfUnused, openConnection } from '../connections/connection.ts';
import { statement } from '../database/statement.ts';
import { endApproval } from '../approvals/approval.ts';
import { addMember } from '../shops/member.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  type TestGrant,
  TEST_BASE_URL,
  TEST_NOW,
  type TestParty,
} from '../../test/partner.ts';
import { OPERATOR } from '../shops/audit.ts';

export const selectTestConnections = statement<{ status: string; endReason: string | null }>(
  'test_connections',
  `select status, end_reason as "endReason" from connection
    where shop_id = $1 and client_id = $2 order by connected_at, ended_at nulls last`,
);

export const countTestRefreshTokens = statement<{ count: number }>(
  'test_refresh_tokens',
  `select count(*) as count from oauth_artifact where model <> 'AccessToken' and grant_hash = $1`,
);

export const renameTestParty = statement(
  'rename_test_party',
  `with person as (update account set name = $3 where account_id = $2)
   update shop set name = $3 where shop_id = $1`,
);

export const lockTestApproval = statement(
  'lock_test_approval',
  'select approval_id from approval where shop_id = $1 for update',
);

interface Wire {
  readonly id: string;
  readonly cursor: string;
  readonly user: { readonly id: string };
}

function parse(text: string): Wire {
  const wire: Wire = JSON.parse(text);
  return wire;
}

describe('the connection (4.1 to 4.3)', () => {
  let base: TestDatabase;
  let node: PartnerNode;
  before(async () => {
    base = await openTestDatabase();
    node = await startPartnerNode(base);
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  async function connectionsOf(party: TestParty): Promise<string[]> {
    const { shop, app } = party;
    const rows = await base.db.query(selectTestConnections, [shop.id, app.clientId]);
    return rows.map((row) => row.endReason ?? row.status);
  }

  it('the first POST returns 201 and Location, and later POSTs return the same connection with 200', async () => {
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party);
    const created = await node.call('POST', '/connection', { token });
    assert.equal(created.status, 201);
    assert.equal(created.headers.get('location'), `${TEST_BASE_URL}/connection`);
    assert.deepEqual(JSON.parse(created.text), {
      id: parse(created.text).id,
      tenant: { id: party.shop.id, name: party.shop.name, slug: party.shop.slug },
      user: { id: party.accountId, name: 'Aoi Tanaka', email: party.email },
      clientId: party.app.clientId,
      status: 'active',
      connectedAt: TEST_NOW.toISOString(),
      webhook: null,
      cursor: parse(created.text).cursor,
    });
    for (const method of ['POST', 'GET']) {
      const again = await node.call(method, '/connection', { token });
      assert.equal(again.status, 200);
      assert.equal(again.headers.get('location'), null);
      assert.equal(again.text, created.text);
    }
    const head = await node.call('HEAD', '/connection', { token });
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(created.text)));
  });

  it('names with any characters are returned unchanged, even from the cache', async () => {
    const name = '"},"webhook":{"\\u0022\n\u2028リザードン\ud83c\udccf</script>';
    const party = await seedParty(base.db);
    await base.db.query(renameTestParty, [party.shop.id, party.accountId, name]);
    const { token } = await seedGrant(base.db, party);
    const created = await node.call('POST', '/connection', { token });
    for (let call = 0; call < 3; call++) {
      const { text } = await node.call('GET', '/connection', { token });
      assert.equal(text, created.text);
      const { tenant, user, webhook, ...rest } = JSON.parse(text);
      assert.deepEqual([tenant.name, user.name, webhook], [name, name, null]);
      assert.deepEqual(Object.keys(rest), ['id', 'clientId', 'status', 'connectedAt', 'cursor']);
    }
  });

  it('POST accepts an empty body of any type, and a JSON object with any members', async () => {
    const { token } = await seedGrant(base.db, await seedParty(base.db));
    const types = ['application/json', 'text/plain', 'nonsense', 'image/png', ';;;', ''];
    const empty = types.map((type) => ({ headers: { 'content-type': type }, body: '' }));
    const json = { 'content-type': 'application/json; charset=UTF-8' };
    const objects = ['{}', '{"a":1}', '{"__proto__":1,"constructor":2}', ' {"a":[{}]}\n'];
    const calls = [{}, ...empty, ...objects.map((body) => ({ headers: json, body }))];
    for (const call of calls) {
      const answer = await node.call('POST', '/connection', { token, ...call });
      assert.ok([200, 201].includes(answer.status), `${JSON.stringify(call)}: ${answer.text}`);
    }
  });

  it('POST refuses any other body, and opens no connection', async () => {
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party);
    const bad = ['[]', 'null', '1', '"a"', 'true', '{', '{"a":}', '\ufeff{}', '{}x', '\0'];
    const broken = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    for (const body of [...bad, broken]) {
      const headers = { 'content-type': 'application/json' };
      const answer = await node.call('POST', '/connection', { token, headers, body });
      assert.equal(answer.status, 400, String(body));
      assert.equal(answer.text, '{"error":"invalid_request"}');
    }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'x',
    ]) {
      const headers = { 'content-type': type };
      const answer = await node.call('POST', '/connection', { token, headers, body: '{}' });
      assert.equal(answer.status, 415, type);
      assert.equal(answer.text, '{"error":"unsupported_media_type"}');
    }
    const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const coded = await node.call('POST', '/connection', { token, headers: packed, body: '{}' });
    assert.equal(coded.status, 415);
    assert.deepEqual(await connectionsOf(party), []);
  });

  it('a body of 16 KiB is accepted and one more byte is refused, for POST and DELETE', async () => {
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party);
    const headers = { 'content-type': 'application/json' };
    const full = `{"a":"${'x'.repeat(16_384 - 8)}"}`;
    assert.equal(full.length, 16_384);
    for (const method of ['POST', 'DELETE']) {
      const large = await node.call(method, '/connection', { token, headers, body: `${full} ` });
      if (method === 'POST') assert.deepEqual(await connectionsOf(party), []);
      assert.equal(large.status, 413, method);
      assert.equal(large.text, '{"error":"payload_too_large"}');
      const fits = await node.call(method, '/connection', { token, headers, body: full });
      assert.ok(fits.status < 300, `${method} ${fits.text}`);
    }
  });

  it('any number of waiting requests of an app use one pooled database connection', async () => {
    const [party, other] = [await seedParty(base.db), await seedParty(base.db)];
    const { token } = await seedGrant(base.db, party);
    const { token: otherToken } = await seedGrant(base.db, other);
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = base.db.transaction(async (tx) => {
      await tx.query(lockTestApproval, [party.shop.id]);
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    const posts = Array.from(
      { length: 20 },
      async () => await node.call('POST', '/connection', { token }),
    );
    const busy = (): number => {
      const { clients, idle, waiting } = node.db.poolState();
      return clients - idle + waiting;
    };
    let [status, many] = [0, 0];
    try {
      await waitUntil(() => busy() >= 1);
      status = (await node.call('POST', '/connection', { token: otherToken })).status;
      many = busy();
    } finally {
      held.resolve();
      await holding;
    }
    assert.deepEqual([status, many], [201, 1]);
    const statuses = (await Promise.all(posts)).map((answer) => answer.status);
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [...Array<number>(19).fill(200), 201],
    );
  });

  it('many concurrent POSTs get one connection, and its user is the member of the last POST', async () => {
    const party = await seedParty(base.db);
    const person = {
      email: `second-${party.shop.slug}@cards.example`,
      name: 'Ren Sato',
      permissions: [],
      passwordHash: 'none',
    };
    const second = await base.db.transaction(
      async (tx) => await addMember(tx, party.shop.id, person, TEST_NOW, OPERATOR),
    );
    assert.equal(second.kind, 'added');
    const first = await seedGrant(base.db, party);
    const other = await seedGrant(base.db, party, { accountId: second.member.account.id });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { token } = index % 2 === 0 ? first : other;
        return await node.call('POST', '/connection', { token });
      }),
    );
    assert.equal(new Set(answers.map((answer) => parse(answer.text).id)).size, 1);
    const created = answers.filter((answer) => answer.status === 201);
    assert.equal(created.length, 1);
    assert.ok(answers.every((answer) => [200, 201].includes(answer.status)));
    assert.deepEqual(await connectionsOf(party), ['active']);
    for (const [grant, accountId] of [
      [first, party.accountId],
      [other, second.member.account.id],
    ] as const) {
      const posted = await node.call('POST', '/connection', { token: grant.token });
      assert.equal(parse(posted.text).user.id, accountId);
      const seen = await node.call('GET', '/connection', { token: first.token });
      assert.equal(parse(seen.text).user.id, accountId, 'the one connection serves both approvals');
    }
  });

  it('DELETE ends the connection with 204 and no body, later calls are refused, and POST cannot undo it', async () => {
    const party = await seedParty(base.db);
    const grant = await seedGrant(base.db, party);
    const sister = await seedGrant(base.db, party);
    await node.call('POST', '/connection', { token: grant.token });
    const ended = await node.call('DELETE', '/connection', { token: grant.token });
    assert.equal(ended.status, 204);
    assert.equal(ended.text, '');
    assert.equal(ended.headers.get('content-type'), null);
    for (const method of ['DELETE', 'POST', 'GET']) {
      for (const { token } of [grant, sister]) {
        const answer = await node.call(method, '/connection', { token });
        assert.equal(answer.status, 403);
        assert.equal(answer.text, '{"error":"connection_revoked"}');
      }
    }
    assert.deepEqual(await connectionsOf(party), ['app']);
    for (const { grantHash } of [grant, sister]) {
      assert.deepEqual(await base.db.one(countTestRefreshTokens, [grantHash]), { count: 0 });
    }
  });

  it('a new approval leads to a new connection with another id; old tokens stay refused, cursors stay valid', async () => {
    const party = await seedParty(base.db);
    const old = await seedGrant(base.db, party);
    const before = parse((await node.call('POST', '/connection', { token: old.token })).text);
    await node.call('DELETE', '/connection', { token: old.token });
    const { token } = await seedGrant(base.db, party);
    assert.equal((await node.call('GET', '/connection', { token })).status, 403);
    const after = await node.call('POST', '/connection', { token });
    assert.equal(after.status, 201);
    assert.notEqual(parse(after.text).id, before.id);
    assert.equal((await node.call('POST', '/connection', { token: old.token })).status, 403);
    const page = await node.call('GET', `/inventory/changes?cursor=${before.cursor}`, { token });
    assert.equal(page.status, 200);
    assert.deepEqual(await connectionsOf(party), ['app', 'active']);
  });

  it('revocation ends the connection only with the last live approval, even if two end at the same time', async () => {
    const party = await seedParty(base.db);
    const [first, second, third] = [
      await seedGrant(base.db, party),
      await seedGrant(base.db, party),
      await seedGrant(base.db, party),
    ];
    await node.call('POST', '/connection', { token: first.token });
    async function revoke(grant: TestGrant): Promise<boolean> {
      return await base.db.transaction(async (tx) => {
        const whose = await endApproval(tx, grant, 'token_revoked', TEST_NOW, OPERATOR);
        assert.ok(whose);
        return await endConnectionIfUnused(tx, grant.shopId, whose.clientId, TEST_NOW, OPERATOR);
      });
    }
    assert.equal(await revoke(first), false);
    assert.deepEqual(await connectionsOf(party), ['active']);
    const ends = await Promise.all([revoke(second), revoke(third)]);
    assert.deepEqual(ends.filter(Boolean), [true]);
    assert.deepEqual(await connectionsOf(party), ['token_revoked']);
    assert.equal((await node.call('GET', '/connection', { token: first.token })).status, 401);
  });

  it('the connection stays ended even if the same app sends POSTs concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const party = await seedParty(base.db);
      const grant = await seedGrant(base.db, party);
      await node.call('POST', '/connection', { token: grant.token });
      const answers = await Promise.all([
        node.call('DELETE', '/connection', { token: grant.token }),
        ...Array.from(
          { length: 4 },
          async () => await node.call('POST', '/connection', { token: grant.token }),
        ),
      ]);
      assert.ok(answers.every((answer) => answer.status < 500));
      assert.deepEqual(await connectionsOf(party), ['app']);
    }
  });

  it('a request is refused if its approval ends while it is processed', async () => {
    const party = await seedParty(base.db);
    const grant = await seedGrant(base.db, party);
    const opener = {
      shopId: party.shop.id,
      clientId: party.app.clientId,
      accountId: party.accountId,
      approvalId: grant.approvalId,
    };
    const opened = await base.db.transaction(async (tx) => {
      await endApproval(tx, grant, 'token_revoked', TEST_NOW, OPERATOR);
      return await openConnection(tx, opener, TEST_NOW, OPERATOR);
    });
    assert.equal(opened.kind, 'approval_ended');
    assert.deepEqual(await connectionsOf(party), []);
  });

  it('a token of another shop shows only the connection of that shop', async () => {
    const [one, two] = [await seedParty(base.db), await seedParty(base.db)];
    const [ofOne, ofTwo] = [await seedGrant(base.db, one), await seedGrant(base.db, two)];
    const opened = await node.call('POST', '/connection', { token: ofOne.token });
    assert.equal((await node.call('GET', '/connection', { token: ofTwo.token })).status, 403);
    await node.call('POST', '/connection', { token: ofTwo.token });
    await node.call('DELETE', '/connection', { token: ofTwo.token });
    const seen = await node.call('GET', '/connection', { token: ofOne.token });
    assert.equal(seen.text, opened.text);
  });
});
