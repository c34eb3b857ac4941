import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { statement } from '../database/statement.ts';
import {
  acceptInvitation,
  type AcceptInvitationResult,
  type Invitee,
} from './accept-invitation.ts';
import { findAccountByEmail } from './account.ts';
import { type Actor, OPERATOR } from './audit.ts';
import { listAudit } from './audit-log.ts';
import {
  cleanInvitations,
  findInvitation,
  listInvitations,
  withdrawInvitation,
} from './invitation.ts';
import { inviteMember, type InviteMemberResult, type NewInvitation } from './invite-member.ts';
import { addMember, findMember, setMember } from './member.ts';
import type { Permission } from './permission.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const selectSecretHashes = statement<{ readonly hash: string }>(
  'test_select_invitation_hashes',
  `select secret_hash as hash from invitation`,
);

describe('invitations', () => {
  const base = useTestDatabase();
  let seeded: SeededShop;
  let owner: Actor;

  async function freshShop(): Promise<void> {
    seeded = await seedShop(base);
    owner = { kind: 'member', accountId: seeded.member.account.id };
  }

  async function invite(
    change: Partial<NewInvitation> & { readonly by?: Actor; readonly now?: Date } = {},
  ): Promise<InviteMemberResult> {
    const { by = owner, now = NOW, ...given } = change;
    const asked = {
      email: `aki@${seeded.shop.slug}.example`,
      permissions: ['inventory.read'],
      language: 'ja',
      provesAddress: true,
      ...given,
    } as const;
    return await base.db.transaction(
      async (tx) => await inviteMember(tx, seeded.shop.id, asked, now, by),
    );
  }

  async function secretOf(change: Parameters<typeof invite>[0] = {}): Promise<string> {
    const result = await invite(change);
    assert.ok(result.kind === 'invited', result.kind);
    return result.secret;
  }

  async function accept(
    secret: string,
    invitee: Invitee = { kind: 'new', name: '秋', passwordHash: 'x' },
    now = NOW,
  ): Promise<AcceptInvitationResult> {
    const invitation = await findInvitation(base.db, secret, NOW);
    if (invitation === undefined) return { kind: 'gone' };
    return await base.db.transaction(
      async (tx) => await acceptInvitation(tx, invitation, invitee, now),
    );
  }

  async function addManager(permissions: readonly Permission[]): Promise<Actor> {
    const email = `manager@${seeded.shop.slug}.example`;
    const person = { email, name: 'Manager', permissions, passwordHash: 'x' };
    const added = await base.db.transaction(
      async (tx) => await addMember(tx, seeded.shop.id, person, NOW, OPERATOR),
    );
    assert.ok(added.kind === 'added');
    return { kind: 'member', accountId: added.member.account.id };
  }

  /** Returns the recorded reasons why invitations ended. */
  async function endsOf(): Promise<unknown[]> {
    const actions = ['member.invitation_withdrawn'] as const;
    const filters = { before: null, limit: 100, actions };
    const entries = await listAudit(base.db, seeded.shop.id, filters);
    return entries.map(({ details }) => String(details.reason)).toSorted();
  }

  it('an invitation makes a new person a member with the given permissions, once', async () => {
    await freshShop();
    const secret = await secretOf({ permissions: ['inventory.read', 'members.manage'] });
    assert.match(secret, /^cpi_[A-Za-z0-9]{43}$/);
    const hashes = await base.db.query(selectSecretHashes);
    assert.equal(JSON.stringify(hashes).includes(secret), false);
    const found = await findInvitation(base.db, secret, NOW);
    assert.deepEqual(
      [found?.shopName, found?.inviterName, found?.language, found?.accountId],
      ['Kumo Cards', '雲野 花', 'ja', null],
    );
    const accepted = await accept(secret);
    assert.ok(accepted.kind === 'accepted', accepted.kind);
    const { account } = accepted.member;
    const member = await findMember(base.db, seeded.shop.id, account.id);
    assert.deepEqual(member?.permissions, ['inventory.read', 'members.manage']);
    assert.equal((await accept(secret)).kind, 'gone');
    assert.deepEqual(await listInvitations(base.db, seeded.shop.id, NOW), []);
  });

  it('only one of ten concurrent requests accepts an invitation, and one account is created', async () => {
    await freshShop();
    const invitation = await findInvitation(base.db, await secretOf(), NOW);
    assert.ok(invitation);
    const invitee = { kind: 'new', name: '秋', passwordHash: 'x' } as const;
    const kinds = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const accepted = base.db.transaction(
          async (tx) => await acceptInvitation(tx, invitation, invitee, NOW),
        );
        return (await accepted).kind;
      }),
    );
    assert.deepEqual(kinds.toSorted(), ['accepted', ...Array.from({ length: 9 }, () => 'gone')]);
  });

  it('an invitation to a known address can be accepted only by that account', async () => {
    await freshShop();
    const other = await seedShop(base);
    const stranger = await seedShop(base);
    const secret = await secretOf({ email: other.email.toUpperCase() });
    assert.equal((await accept(secret)).kind, 'sign_in_needed');
    const as = (one: SeededShop): Invitee => ({
      kind: 'account',
      accountId: one.member.account.id,
    });
    assert.equal((await accept(secret, as(stranger))).kind, 'other_account');
    assert.notEqual(await findInvitation(base.db, secret, NOW), undefined);
    const accepted = await accept(secret, as(other));
    assert.ok(accepted.kind === 'accepted');
    assert.equal(accepted.member.account.id, other.member.account.id);
    const strange = await findMember(base.db, seeded.shop.id, stranger.member.account.id);
    assert.equal(strange, undefined);
  });

  it('invitations are valid for exactly 7 days, and are then deleted', async () => {
    await freshShop();
    const secret = await secretOf();
    const end = new Date(NOW.getTime() + 7 * DAY_MS);
    const last = new Date(end.getTime() - 1);
    assert.notEqual(await findInvitation(base.db, secret, last), undefined);
    assert.equal((await accept(secret, undefined, end)).kind, 'gone');
    assert.equal(await cleanInvitations(base.db, last), 0);
    assert.equal(await cleanInvitations(base.db, end), 1);
  });

  it('an invitation that is replaced or used up leaves an audit entry under its id', async () => {
    await freshShop();
    const other = await seedShop(base);
    const invited = await invite({ email: other.email });
    assert.ok(invited.kind === 'invited');
    const secret = await secretOf({ email: other.email });
    const person = { email: other.email, name: 'x', permissions: [], passwordHash: null };
    await base.db.transaction(
      async (tx) => void (await addMember(tx, seeded.shop.id, person, NOW, OPERATOR)),
    );
    const invitee = { kind: 'account', accountId: other.member.account.id } as const;
    assert.equal((await accept(secret, invitee)).kind, 'already_member');
    assert.deepEqual(await endsOf(), ['replaced', 'spent']);
    const [first] = await listAudit(base.db, seeded.shop.id, {
      before: null,
      limit: 1,
      actions: ['member.invitation_withdrawn'],
      subjectId: invited.id,
    });
    assert.deepEqual([first?.details, first?.subject.name], [{ reason: 'replaced' }, other.email]);
  });

  it('an address that a mailer would read as another address is refused', async () => {
    await freshShop();
    for (const email of [
      'hana@demo.example\u200b',
      'hana@de\u00admo.example',
      'hana@demo\u3002example',
      'hana@\uff44\uff45\uff4d\uff4f.example',
      '<evil@x.example>',
      'group:a@x.example;',
      'a(b)@x.example',
      'ha\u202ena@demo.example',
    ]) {
      assert.equal((await invite({ email })).kind, 'invalid_email', JSON.stringify(email));
    }
    assert.equal((await invite({ email: 'Hana+1@Demo.example' })).kind, 'invited');
    assert.equal((await invite({ email: 'hana@\u65e5\u672c.example' })).kind, 'invited');
  });

  it('an invitation is withdrawn only by its shop, and its link is then void', async () => {
    await freshShop();
    const secret = await secretOf();
    const [listed] = await listInvitations(base.db, seeded.shop.id, NOW);
    const other = await seedShop(base);
    assert.ok(listed !== undefined);
    const withdraw = async (shopId: string, by: Actor): Promise<string> =>
      await base.db.transaction(
        async (tx) => (await withdrawInvitation(tx, shopId, listed, NOW, by)).kind,
      );
    assert.equal(await withdraw(other.shop.id, owner), 'not_allowed');
    assert.equal(await withdraw(other.shop.id, OPERATOR), 'not_found');
    assert.equal(await withdraw(seeded.shop.id, owner), 'withdrawn');
    assert.equal(await withdraw(seeded.shop.id, owner), 'not_found');
    assert.deepEqual(await endsOf(), ['undefined']);
    assert.equal((await accept(secret)).kind, 'gone');
  });

  it('a manager neither withdraws nor replaces an invitation that gives more than they hold', async () => {
    await freshShop();
    const manager = await addManager(['members.manage', 'inventory.read']);
    await secretOf({ permissions: ['inventory.cost', 'inventory.read'] });
    const [listed] = await listInvitations(base.db, seeded.shop.id, NOW);
    assert.ok(listed !== undefined);
    const withdraw = async (by: Actor): Promise<string> =>
      await base.db.transaction(
        async (tx) => (await withdrawInvitation(tx, seeded.shop.id, listed, NOW, by)).kind,
      );
    assert.equal(await withdraw(manager), 'not_held');
    const refused = await invite({ by: manager, permissions: [] });
    assert.deepEqual(refused, { kind: 'not_held', missing: ['inventory.cost'] });
    assert.deepEqual(await listInvitations(base.db, seeded.shop.id, NOW), [listed]);
    assert.deepEqual(await endsOf(), []);
    assert.equal(await withdraw(owner), 'withdrawn');
    assert.equal((await invite({ by: manager, permissions: [] })).kind, 'invited');
  });

  it('a refused invitation does not count toward the limit of mails', async () => {
    await freshShop();
    const manager = await addManager(['members.manage']);
    await secretOf({ permissions: ['inventory.cost'] });
    for (let index = 0; index < 40; index++) {
      assert.equal((await invite({ by: manager, permissions: [] })).kind, 'not_held');
    }
    assert.equal((await invite({ email: 'other@new.example' })).kind, 'invited');
  });

  it('invitations to the same address replace each other: one is pending, the older link is void', async () => {
    await freshShop();
    const first = await secretOf();
    const again = await invite({ email: ` AKI@${seeded.shop.slug}.example ` });
    assert.ok(again.kind === 'invited');
    assert.equal((await listInvitations(base.db, seeded.shop.id, NOW)).length, 1);
    assert.equal((await accept(first)).kind, 'gone');
    assert.equal((await accept(again.secret)).kind, 'accepted');
  });

  it('invitations are refused for a member, active or not, and for an invalid address', async () => {
    await freshShop();
    const owned = await invite({ email: seeded.email });
    assert.deepEqual([owned.kind, 'isActive' in owned && owned.isActive], ['already_member', true]);
    for (const email of ['', 'aki', 'a b@x.example', `${'x'.repeat(253)}@y`, 'a\0@x.example']) {
      assert.equal((await invite({ email })).kind, 'invalid_email', email);
    }
  });

  it('a shop can send 30 invitations an hour, and have 100 pending', async () => {
    await freshShop();
    const at = (minute: number): Date => new Date(NOW.getTime() + minute * MINUTE_MS);
    const { slug } = seeded.shop;
    const batch = async (from: number, count: number, now: Date): Promise<string[]> => {
      const kinds: string[] = [];
      for (let index = from; index < from + count; index++) {
        kinds.push((await invite({ email: `p${index}@${slug}.example`, now })).kind);
      }
      return kinds;
    };
    assert.deepEqual(new Set(await batch(0, 30, at(0))), new Set(['invited']));
    const refused = await invite({ now: at(59) });
    assert.deepEqual(refused, { kind: 'too_many_mails', retryAfterSeconds: 60 });
    assert.equal((await listInvitations(base.db, seeded.shop.id, at(59))).length, 30);
    for (const hour of [1, 2]) await batch(hour * 30, 30, at(hour * 60));
    await batch(90, 10, at(180));
    // 10 mails were sent in this hour. Refused invitations do not use up the other 20.
    for (let index = 0; index < 25; index++) {
      assert.equal((await invite({ now: at(181) })).kind, 'too_many');
    }
    // A repeated invitation replaces the pending one, so it does not exceed the limit of 100.
    const again = await invite({ email: `p99@${slug}.example`, now: at(182) });
    assert.equal(again.kind, 'invited');
  });

  it('invitations are permanently void if their inviter loses members.manage or is deactivated', async () => {
    await freshShop();
    const id = seeded.member.account.id;
    const set = async (change: Parameters<typeof setMember>[3]): Promise<void> =>
      await base.db.transaction(
        async (tx) => void (await setMember(tx, seeded.shop.id, id, change, NOW, OPERATOR)),
      );
    const { permissions } = seeded.member;
    for (const change of [{ permissions: [] }, { isActive: false }]) {
      await set({ permissions, isActive: true });
      const secret = await secretOf();
      const kept = await secretOf({ email: `k@${seeded.shop.slug}.example`, by: OPERATOR });
      await set(change);
      assert.equal((await invite()).kind, 'not_allowed');
      await set({ permissions, isActive: true });
      assert.equal((await accept(secret)).kind, 'gone');
      assert.notEqual(await findInvitation(base.db, kept, NOW), undefined);
    }
    // In the second round, the operator's new invitation replaced the first one.
    assert.deepEqual(await endsOf(), ['inviter_lost', 'inviter_lost', 'replaced']);
    const missing = await findAccountByEmail(base.db, `aki@${seeded.shop.slug}.example`);
    assert.equal(missing, undefined);
  });

  it('invitations stay valid if their inviter changes in another way', async () => {
    await freshShop();
    const secret = await secretOf();
    const id = seeded.member.account.id;
    const set = async (permissions: readonly Permission[]): Promise<void> =>
      await base.db.transaction(
        async (tx) =>
          void (await setMember(tx, seeded.shop.id, id, { permissions }, NOW, OPERATOR)),
      );
    await set(['members.manage', 'inventory.read']);
    assert.equal((await accept(secret)).kind, 'accepted');
    // The inviter no longer has the permissions that the invitation gives.
    const other = await secretOf({ email: `o@${seeded.shop.slug}.example` });
    await set(['members.manage', 'purchases.read']);
    assert.deepEqual(await endsOf(), ['inviter_lost']);
    assert.equal((await accept(other)).kind, 'gone');
  });

  it('invitations grant only permissions that the inviter holds, and the operator’s may grant all', async () => {
    await freshShop();
    const { id } = seeded.member.account;
    const permissions = ['members.manage', 'inventory.read'] as const;
    await base.db.transaction(
      async (tx) => void (await setMember(tx, seeded.shop.id, id, { permissions }, NOW, OPERATOR)),
    );
    const asked = ['inventory.read', 'inventory.cost', 'integrations.manage'] as const;
    assert.deepEqual(await invite({ permissions: asked }), {
      kind: 'not_held',
      missing: ['inventory.cost', 'integrations.manage'],
    });
    assert.deepEqual(await listInvitations(base.db, seeded.shop.id, NOW), []);
    assert.equal((await invite({ permissions })).kind, 'invited');
    assert.equal((await invite({ permissions: asked, by: OPERATOR })).kind, 'invited');
    // Resending the operator's invitation would give permissions that the inviter lacks.
    assert.equal((await invite({ permissions: asked })).kind, 'not_held');
    // Members cannot invite themselves to get more permissions.
    assert.equal((await invite({ email: seeded.email })).kind, 'already_member');
  });
});
