import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { holdTransaction } from '../../test/held-transaction.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { readDeactivationEffects } from '../connections/deactivation-effects.ts';
import { statement } from '../database/statement.ts';
import { type Actor, OPERATOR } from './audit.ts';
import {
  type RequestedMemberChange,
  changeMember,
  type ChangeMemberResult,
} from './change-member.ts';
import { listAudit } from './audit-log.ts';
import { listInvitations } from './invitation.ts';
import { inviteMember } from './invite-member.ts';
import { addMember, findMember, setMember } from './member.ts';
import { listMembers } from './member-list.ts';
import { type Permission, PERMISSIONS } from './permission.ts';
import { findSession, startSession } from './session.ts';
import { createShopKey, removeShopKey } from './shop-key.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

const LOCK_WAITS = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
const countLockWaits = statement<{ readonly count: number }>(
  'test_count_lock_waits',
  // On Citus, the sessions on the workers wait.
  IS_ON_CITUS
    ? `select sum(result::int)::int as count from run_command_on_workers($$${LOCK_WAITS}$$)`
    : LOCK_WAITS,
);

describe('changes of a member', () => {
  const base = useTestDatabase();
  let seeded: SeededShop;
  let first: string;

  async function freshShop(): Promise<void> {
    seeded = await seedShop(base);
    first = seeded.member.account.id;
  }

  async function addPerson(
    name: string,
    permissions: readonly Permission[] = PERMISSIONS,
  ): Promise<string> {
    const email = `${name}@${seeded.shop.slug}.example`;
    const person = { email, name, permissions, passwordHash: 'x' };
    const added = await base.db.transaction(
      async (tx) => await addMember(tx, seeded.shop.id, person, NOW, OPERATOR),
    );
    assert.ok(added.kind === 'added');
    return added.member.account.id;
  }

  async function change(
    by: string,
    of: string,
    asked: RequestedMemberChange,
  ): Promise<ChangeMemberResult['kind']> {
    const actor: Actor = { kind: 'member', accountId: by };
    const result = await base.db.transaction(
      async (tx) => await changeMember(tx, seeded.shop.id, of, asked, NOW, actor),
    );
    return result.kind;
  }

  async function managers(): Promise<string[]> {
    return (await listMembers(base.db, seeded.shop.id))
      .filter((each) => each.isActive && each.permissions.includes('members.manage'))
      .map(({ id }) => id);
  }

  it('the last active manager cannot be deactivated or lose members.manage', async () => {
    await freshShop();
    const clerk = await addPerson('clerk', []);
    assert.equal(await change(first, first, { isActive: false }), 'last_manager');
    assert.equal(await change(first, first, { permissions: [] }), 'own_permissions');
    assert.equal(await change(first, clerk, { isActive: false }), 'changed');
    // A deactivated manager does not count, because they could not give the permission back.
    const second = await addPerson('second');
    assert.equal(await change(first, second, { isActive: false }), 'changed');
    assert.equal(await change(first, first, { isActive: false }), 'last_manager');
    assert.equal(await change(first, second, { isActive: true }), 'changed');
    assert.equal(await change(second, first, { permissions: [] }), 'changed');
    assert.deepEqual(await managers(), [second]);
  });

  it('only one of two owners who demote each other concurrently succeeds', async () => {
    for (const count of [2, 3]) {
      await freshShop();
      const others: string[] = [];
      for (let index = 1; index < count; index++) others.push(await addPerson(`o${index}`));
      const [second = ''] = others;
      const kinds = await Promise.all([
        change(first, second, { isActive: false }),
        change(second, first, { permissions: [] }),
      ]);
      assert.deepEqual(kinds.toSorted(), ['changed', 'not_allowed']);
      assert.equal((await managers()).length, count - 1);
    }
  });

  it('a manager deactivates and activates only members whose permissions they hold', async () => {
    await freshShop();
    const manager = await addPerson('manager', ['members.manage', 'inventory.read']);
    const former = await addPerson('former', ['inventory.cost', 'integrations.manage']);
    const clerk = await addPerson('clerk', ['inventory.read']);
    const isActive = async (id: string): Promise<boolean | undefined> =>
      (await findMember(base.db, seeded.shop.id, id))?.isActive;
    assert.equal(await change(first, former, { isActive: false }), 'changed');
    const owner = { isActive: false } as const;
    assert.equal(await change(manager, first, owner), 'not_held');
    assert.equal(await change(manager, former, { isActive: true }), 'not_held');
    // Taking a permission that the manager holds does not make the rest theirs.
    const fewer = { isActive: false, permissions: [] } as const;
    assert.equal(await change(manager, first, fewer), 'not_held');
    const given = { isActive: true, permissions: ['inventory.read'] } as const;
    assert.equal(await change(manager, former, given), 'not_held');
    assert.deepEqual([await isActive(first), await isActive(former)], [true, false]);
    // The state that the member has already takes nothing and gives nothing.
    assert.equal(await change(manager, former, { isActive: false }), 'changed');
    assert.equal(await change(manager, clerk, { isActive: false }), 'changed');
    assert.equal(await change(manager, clerk, { isActive: true }), 'changed');
    // Members may leave, whatever they hold.
    assert.equal(await change(manager, manager, { isActive: false }), 'changed');
  });

  it('a manager grants and revokes only permissions that they hold, and never their own', async () => {
    await freshShop();
    const manager = await addPerson('manager', ['members.manage', 'inventory.read']);
    const clerk = await addPerson('clerk', ['inventory.read', 'inventory.cost']);
    const of = async (id: string): Promise<unknown> =>
      (await findMember(base.db, seeded.shop.id, id))?.permissions;
    for (const permissions of [
      // More permissions than the manager has, fewer, and none.
      [...PERMISSIONS],
      ['members.manage'],
      [],
    ] as const) {
      assert.equal(await change(manager, manager, { permissions }), 'own_permissions');
    }
    assert.equal(
      await change(first, first, { permissions: ['members.manage'] }),
      'own_permissions',
    );
    for (const permissions of [
      ['inventory.read', 'inventory.cost', 'integrations.manage'],
      // These changes would remove permissions that the manager could not give back.
      ['inventory.read'],
      ['inventory.cost', 'purchases.read'],
    ] as const) {
      assert.equal(await change(manager, clerk, { permissions }), 'not_held');
    }
    assert.deepEqual(await of(manager), ['members.manage', 'inventory.read']);
    assert.deepEqual(await of(clerk), ['inventory.read', 'inventory.cost']);
    const given = ['inventory.cost', 'members.manage'] as const;
    assert.equal(await change(manager, clerk, { permissions: given }), 'changed');
    assert.deepEqual(await of(clerk), given);
    assert.equal(await change(first, clerk, { permissions: PERMISSIONS }), 'changed');
  });

  it('the manager’s permissions are checked under the lock, so that a revoked permission cannot be granted', async () => {
    await freshShop();
    const second = await addPerson('second', ['members.manage', 'inventory.cost']);
    const clerk = await addPerson('clerk', []);
    const { id: shopId } = seeded.shop;
    const by = { kind: 'member', accountId: first } as const;
    const less = { permissions: ['members.manage'] } as const;
    const taking = holdTransaction(
      base.db,
      async (tx) => await changeMember(tx, shopId, second, less, NOW, by),
    );
    await taking.begun;
    const giving = change(second, clerk, { permissions: ['inventory.cost'] });
    const asked = {
      email: 'c@x.example',
      permissions: ['inventory.cost'],
      language: 'en',
      provesAddress: true,
    } as const;
    const inviting = base.db.transaction(async (tx) => {
      const actor = { kind: 'member', accountId: second } as const;
      return (await inviteMember(tx, shopId, asked, NOW, actor)).kind;
    });
    await waitUntil(async () => ((await base.db.one(countLockWaits))?.count ?? 0) >= 2);
    taking.release();
    await taking.done;
    assert.deepEqual([await giving, await inviting], ['not_held', 'not_held']);
    assert.deepEqual((await findMember(base.db, shopId, clerk))?.permissions, []);
    assert.deepEqual(await listInvitations(base.db, shopId, NOW), []);
  });

  it('only managers change members, and only members can be changed', async () => {
    await freshShop();
    const clerk = await addPerson('clerk', []);
    const stranger = await seedShop(base);
    assert.equal(await change(clerk, first, { isActive: false }), 'not_allowed');
    const strangerId = stranger.member.account.id;
    assert.equal(await change(strangerId, clerk, { isActive: false }), 'not_allowed');
    assert.equal(await change(first, strangerId, { isActive: false }), 'not_found');
    const untouched = await findMember(base.db, stranger.shop.id, strangerId);
    assert.equal(untouched?.isActive, true);
  });

  it('deactivation ends the account’s sessions, unless it is a member elsewhere', async () => {
    await freshShop();
    const clerk = await addPerson('clerk', []);
    const { secret } = await startSession(base.db, clerk, NOW);
    const told = await readDeactivationEffects(base.db, seeded.shop.id, clerk, NOW);
    assert.deepEqual(told, { apps: [], keys: [], sessions: 1, isElsewhere: false });
    assert.equal(await change(first, clerk, { isActive: false }), 'changed');
    assert.equal(await findSession(base.db, secret, NOW), undefined);

    const guest = await seedShop(base);
    const guestId = guest.member.account.id;
    const person = { email: guest.email, name: 'Guest', permissions: [], passwordHash: null };
    await base.db.transaction(
      async (tx) => void (await addMember(tx, seeded.shop.id, person, NOW, OPERATOR)),
    );
    const kept = await startSession(base.db, guestId, NOW);
    assert.equal(
      (await readDeactivationEffects(base.db, seeded.shop.id, guestId, NOW)).isElsewhere,
      true,
    );
    assert.equal(await change(first, guestId, { isActive: false }), 'changed');
    assert.notEqual(await findSession(base.db, kept.secret, NOW), undefined);
  });

  it('a change is refused if the permissions are not those that the manager saw', async () => {
    await freshShop();
    const clerk = await addPerson('clerk', ['inventory.read', 'inventory.cost']);
    const seen = ['inventory.cost', 'inventory.read'] as const;
    const less = ['inventory.read'] as const;
    assert.equal(await change(first, clerk, { permissions: less, seen }), 'changed');
    const stale = { permissions: ['inventory.cost', 'purchases.write'], seen } as const;
    assert.equal(await change(first, clerk, stale), 'changed_meanwhile');
    const kept = await findMember(base.db, seeded.shop.id, clerk);
    assert.deepEqual(kept?.permissions, less);
    // This is not a conflict, because both managers requested the same change.
    assert.equal(await change(first, clerk, { permissions: less, seen }), 'changed');
    const two = await Promise.all([
      change(first, clerk, { permissions: [], seen: less }),
      change(first, clerk, { permissions: ['purchases.read'], seen: less }),
    ]);
    assert.deepEqual(two.toSorted(), ['changed', 'changed_meanwhile']);
  });

  it('deactivation by the operator ends sessions too, unless the account is active in another shop', async () => {
    await freshShop();
    const other = await seedShop(base);
    const person = { email: other.email, name: 'Guest', permissions: [], passwordHash: null };
    const id = other.member.account.id;
    await base.db.transaction(
      async (tx) => void (await addMember(tx, seeded.shop.id, person, NOW, OPERATOR)),
    );
    const { secret } = await startSession(base.db, id, NOW);
    const deactivate = async (shopId: string): Promise<void> =>
      await base.db.transaction(
        async (tx) => void (await setMember(tx, shopId, id, { isActive: false }, NOW, OPERATOR)),
      );
    await deactivate(other.shop.id);
    assert.notEqual(await findSession(base.db, secret, NOW), undefined);
    await deactivate(seeded.shop.id);
    assert.equal(await findSession(base.db, secret, NOW), undefined);
  });

  it('another shop does not see who was signed out, or by whom', async () => {
    await freshShop();
    const former = await seedShop(base);
    const id = former.member.account.id;
    const person = { email: former.email, name: 'Former', permissions: [], passwordHash: null };
    await base.db.transaction(async (tx) => {
      await addMember(tx, seeded.shop.id, person, NOW, OPERATOR);
      await setMember(tx, former.shop.id, id, { isActive: false }, NOW, OPERATOR);
    });
    await startSession(base.db, id, NOW);
    assert.equal(await change(first, id, { isActive: false }), 'changed');
    const filters = { actions: ['account.sessions_ended'], before: null, limit: 10 } as const;
    const here = await listAudit(base.db, seeded.shop.id, filters);
    assert.deepEqual(
      here.map(({ actor, subject }) => [actor.id, subject.id]),
      [[first, id]],
    );
    assert.deepEqual(await listAudit(base.db, former.shop.id, filters), []);
  });

  it('a deactivation lists the existing keys that the member has created', async () => {
    await freshShop();
    const developer = await addPerson('developer', ['integrations.manage']);
    const make = async (name: string, by: Actor): Promise<string> =>
      await base.db.transaction(async (tx) => {
        const made = await createShopKey(tx, seeded.shop.id, name, NOW, by);
        return made.kind === 'created' ? made.id : made.kind;
      });
    const by = { kind: 'member', accountId: developer } as const;
    const kept = await make('till', by);
    const removed = await make('old', by);
    await make('office', { kind: 'member', accountId: first });
    await base.db.transaction(
      async (tx) => void (await removeShopKey(tx, seeded.shop.id, removed, NOW, by)),
    );
    const { keys } = await readDeactivationEffects(base.db, seeded.shop.id, developer, NOW);
    assert.deepEqual(keys, [{ id: kept, name: 'till' }]);
  });

  it('changes by the operator may affect the last manager', async () => {
    await freshShop();
    const member = await base.db.transaction(
      async (tx) => await setMember(tx, seeded.shop.id, first, { isActive: false }, NOW, OPERATOR),
    );
    assert.equal(member?.isActive, false);
  });
});
