import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { statement } from '../database/statement.ts';
import { addMember } from './member.ts';
import {
  type Actor,
  type AuditEvent,
  OPERATOR,
  recordAudit,
  recordAuditOfAccount,
} from './audit.ts';
import {
  type AuditEntry,
  type AuditFilters,
  cleanAudit,
  listAudit,
  listAuditActors,
} from './audit-log.ts';
import { createShopKey, removeShopKey } from './shop-key.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const DAY_MS = 86_400_000;

const renameAccount = statement(
  'test_rename_account',
  `update account set name = $2 where account_id = $1`,
);

describe('the audit log (decision 0180)', () => {
  let base: TestDatabase;
  let seeded: SeededShop;
  before(async () => {
    base = await openTestDatabase();
    seeded = await seedShop(base, { now: NOW });
  });
  after(async () => await base.close());

  async function record(by: Actor, event: Partial<AuditEvent> = {}, ms = 0): Promise<void> {
    const subject = { kind: 'app', id: seeded.app.clientId, name: null } as const;
    const whole = { action: 'app.changed', subject, ...event } as const;
    const at = new Date(NOW.getTime() + ms);
    await base.db.transaction(async (tx) => await recordAudit(tx, seeded.shop.id, by, whole, at));
  }

  async function list(filters: AuditFilters = {}, shopId = seeded.shop.id): Promise<AuditEntry[]> {
    return await listAudit(base.db, shopId, { before: null, limit: 100, ...filters });
  }

  it('an entry keeps the name that an actor of any kind had at the time', async () => {
    const { accountId, keyId } = await base.db.transaction(async (tx) => {
      const person = {
        email: 'rin@rin.example',
        name: '凛',
        permissions: [],
        passwordHash: 'none',
      };
      const added = await addMember(tx, seeded.shop.id, person, NOW, OPERATOR);
      const key = await createShopKey(tx, seeded.shop.id, 'office', NOW, OPERATOR);
      assert.ok(added.kind === 'added' && key.kind === 'created');
      return { accountId: added.member.account.id, keyId: key.id };
    });
    const actors: readonly Actor[] = [
      { kind: 'member', accountId },
      { kind: 'app', clientId: seeded.app.clientId },
      { kind: 'shop_key', keyId },
      { kind: 'operator' },
      { kind: 'service' },
    ];
    for (const by of actors) await record(by);
    await base.db.query(renameAccount, [accountId, 'Rin Renamed']);
    await base.db.transaction(async (tx) => {
      assert.ok(await removeShopKey(tx, seeded.shop.id, keyId, NOW, OPERATOR));
    });
    const entries = await list({ actions: ['app.changed'] });
    assert.deepEqual(entries.map(({ actor }) => actor).toReversed(), [
      { kind: 'member', id: accountId, name: '凛' },
      { kind: 'app', id: seeded.app.clientId, name: 'Stock Mirror' },
      { kind: 'shop_key', id: keyId, name: 'office' },
      { kind: 'operator', id: null, name: null },
      { kind: 'service', id: null, name: null },
    ]);
    assert.deepEqual(entries[0]?.subject, {
      kind: 'app',
      id: seeded.app.clientId,
      name: 'Stock Mirror',
    });
    const known = await listAuditActors(base.db, seeded.shop.id, 100);
    assert.deepEqual(
      known.map(({ kind }) => kind).toSorted(),
      actors.map(({ kind }) => kind).toSorted(),
    );
  });

  it('entries are listed newest first, page by page, and can be filtered by actor, action, subject and time', async () => {
    const before = (await list()).length;
    for (let minute = 1; minute <= 5; minute++) {
      const id = minute % 2 === 0 ? 'app_even' : 'app_odd';
      const subject = { kind: 'app', id, name: 'Named' } as const;
      await record({ kind: 'service' }, { action: 'app.disabled', subject }, minute * 60_000);
    }
    const all = await list();
    assert.equal(all.length, before + 5);
    assert.deepEqual(
      all.map(({ id }) => id),
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    const seen: string[] = [];
    for (;;) {
      const page = await listAudit(base.db, seeded.shop.id, {
        before: seen.at(-1) ?? null,
        limit: 2,
      });
      if (page.length === 0) break;
      seen.push(...page.map(({ id }) => id));
    }
    assert.deepEqual(
      seen,
      all.map(({ id }) => id),
    );
    assert.equal((await list({ subjectId: 'app_even' })).length, 2);
    assert.equal((await list({ subjectId: 'app_even', actorId: randomUUID() })).length, 0);
    assert.equal((await list({ actions: ['app.disabled'], actorKind: 'operator' })).length, 0);
    const third = new Date(NOW.getTime() + 3 * 60_000);
    assert.equal((await list({ since: third })).length, 3, 'the instant itself and later');
    assert.equal((await list({ until: third, actions: ['app.disabled'] })).length, 2);
    assert.deepEqual(
      await list({}, (await seedShop(base)).shop.id).then((own) =>
        own.every(({ subject }) => subject.id !== 'app_odd'),
      ),
      true,
    );
  });

  it('the size of an entry is limited, and a rolled-back transaction leaves no entry', async () => {
    const subject = { kind: 'app', id: 'app_long', name: '雲'.repeat(300) } as const;
    const details = {
      name: 'あ'.repeat(1_000),
      scopes: Array.from({ length: 50 }, () => 'x'.repeat(400)),
    };
    await record(OPERATOR, { subject, details });
    const [entry] = await list({ subjectId: 'app_long' });
    assert.ok(entry);
    assert.equal(Array.from(entry.subject.name ?? '').length, 254);
    const { name: text, scopes: kept } = entry.details;
    assert.ok(typeof text === 'string' && Array.isArray(kept));
    assert.equal(Array.from(text).length, 300);
    assert.equal(kept.length, 20);
    await assert.rejects(
      base.db.transaction(async (tx) => {
        const event = { action: 'app.removed', subject: { ...subject, id: 'app_undone' } } as const;
        await recordAudit(tx, seeded.shop.id, OPERATOR, event, NOW);
        throw new Error('undone');
      }),
      /undone/,
    );
    assert.deepEqual(await list({ subjectId: 'app_undone' }), []);
  });

  it('an action on a person is recorded in every shop of that person, and in no other', async () => {
    const other = await seedShop(base, { now: NOW });
    const third = await seedShop(base, { now: NOW });
    const { account } = seeded.member;
    await base.db.transaction(async (tx) => {
      const person = { email: seeded.email, name: 'x', permissions: [], passwordHash: null };
      await addMember(tx, other.shop.id, person, NOW, OPERATOR);
      const subject = { kind: 'member', id: account.id, name: null } as const;
      const event = { action: 'account.password_changed', subject } as const;
      await recordAuditOfAccount(
        tx,
        account.id,
        { kind: 'member', accountId: account.id },
        event,
        NOW,
      );
    });
    const counts = [seeded, other, third].map(
      async ({ shop }) => await list({ actions: ['account.password_changed'] }, shop.id),
    );
    const [here, there, nowhere] = await Promise.all(counts);
    assert.deepEqual(nowhere, []);
    for (const entries of [here, there]) {
      assert.deepEqual(
        entries?.map(({ actor, subject }) => [actor.name, subject.name]),
        [[account.name, account.name]],
      );
    }
  });

  it('the actor of a change to a person is named only in the actor’s shop', async () => {
    const other = await seedShop(base, { now: NOW });
    const { account } = seeded.member;
    const id = other.member.account.id;
    const subject = { kind: 'member', id: account.id, name: null } as const;
    const event = { action: 'account.sessions_ended', subject } as const;
    await base.db.transaction(async (tx) => {
      const person = { email: seeded.email, name: 'x', permissions: [], passwordHash: null };
      await addMember(tx, other.shop.id, person, NOW, OPERATOR);
      const by = { kind: 'member', accountId: id } as const;
      await recordAuditOfAccount(tx, account.id, by, event, NOW, other.shop.id);
      await recordAuditOfAccount(tx, account.id, OPERATOR, event, NOW);
    });
    const actorsIn = async (shopId: string): Promise<string[]> =>
      (await list({ actions: [event.action], subjectId: account.id }, shopId))
        .map(({ actor }) => [actor.kind, actor.id, actor.name].join())
        .toSorted();
    const own = `member,${id},${other.member.account.name}`;
    assert.deepEqual(await actorsIn(other.shop.id), [own, 'operator,,']);
    assert.deepEqual(await actorsIn(seeded.shop.id), ['operator,,', 'service,,']);
  });

  it('entries are deleted after two years, and not a day earlier', async () => {
    const total = (await list()).length;
    assert.equal(await cleanAudit(base.db, new Date(NOW.getTime() + 730 * DAY_MS)), 0);
    assert.equal((await list()).length, total);
    const gone = await cleanAudit(base.db, new Date(NOW.getTime() + 732 * DAY_MS));
    assert.ok(gone >= total);
    assert.deepEqual(await list(), []);
  });
});
