import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { acceptInvitation, type AcceptInvitationResult } from './accept-invitation.ts';
import { type Actor, OPERATOR } from './audit.ts';
import { findInvitation } from './invitation.ts';
import { inviteMember } from './invite-member.ts';
import { addMember, findMember } from './member.ts';
import {
  createPasswordReset,
  createResetForMember,
  replacePassword,
  usePasswordReset,
} from './password-reset.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const PERSON = { name: 'Evil CEO', passwordHash: 'of the inviter' } as const;

describe('an account whose address nobody has proved', () => {
  const base = useTestDatabase();
  let count = 0;

  async function inviteTo(
    { shop, member }: SeededShop,
    email: string,
    provesAddress: boolean,
  ): Promise<string> {
    const by: Actor = { kind: 'member', accountId: member.account.id };
    const asked = { email, permissions: [], language: 'en', provesAddress } as const;
    const result = await base.db.transaction(
      async (tx) => await inviteMember(tx, shop.id, asked, NOW, by),
    );
    assert.ok(result.kind === 'invited', result.kind);
    return result.secret;
  }

  async function accept(secret: string, accountId?: string): Promise<AcceptInvitationResult> {
    const invitation = await findInvitation(base.db, secret, NOW);
    assert.ok(invitation !== undefined);
    const invitee =
      accountId === undefined
        ? ({ kind: 'new', ...PERSON } as const)
        : ({ kind: 'account', accountId } as const);
    return await base.db.transaction(
      async (tx) => await acceptInvitation(tx, invitation, invitee, NOW),
    );
  }

  /** Creates an account in a first shop, with a link that the inviter has seen or has not. */
  async function join(
    provesAddress: boolean,
  ): Promise<{ readonly first: SeededShop; readonly email: string; readonly id: string }> {
    const first = await seedShop(base);
    const email = `ceo-${++count}@bbb.example`;
    const joined = await accept(await inviteTo(first, email, provesAddress));
    assert.ok(joined.kind === 'accepted', joined.kind);
    return { first, email, id: joined.member.account.id };
  }

  /** Adds the account to another shop, in both ways that exist. */
  async function addElsewhere(email: string, id: string): Promise<readonly string[]> {
    const [byOperator, byShop] = [await seedShop(base), await seedShop(base)];
    const person = { email, name: 'Real CEO', permissions: [], passwordHash: null };
    const added = await base.db.transaction(
      async (tx) => await addMember(tx, byOperator.shop.id, person, NOW, OPERATOR),
    );
    const joined = await accept(await inviteTo(byShop, email, true), id);
    for (const { shop } of [byOperator, byShop]) {
      const isMember = (await findMember(base.db, shop.id, id)) !== undefined;
      assert.equal(isMember, added.kind === 'added', 'a refusal adds nothing');
    }
    return [added.kind, joined.kind];
  }
  const REFUSED = ['address_unproved', 'address_unproved'];
  const ACCEPTED = ['added', 'accepted'];

  async function useResetByManager({ first, id }: Awaited<ReturnType<typeof join>>): Promise<void> {
    const by = { kind: 'member', accountId: first.member.account.id } as const;
    const options = { isShown: true, count: async () => ({ kind: 'allowed' }) as const };
    await base.db.transaction(async (tx) => {
      const reset = await createResetForMember(tx, first.shop.id, id, options, NOW, by);
      assert.ok(reset.kind === 'created', reset.kind);
      assert.equal((await usePasswordReset(tx, reset.secret, 'x', NOW)).kind, 'used');
    });
  }

  async function useMailedReset(id: string): Promise<void> {
    const secret = await createPasswordReset(base.db, id, NOW);
    const used = await base.db.transaction(
      async (tx) => await usePasswordReset(tx, secret, 'x', NOW),
    );
    assert.equal(used.kind, 'used');
  }

  it('no other shop adds an account that was created with a link that the inviter saw', async () => {
    const { email, id } = await join(false);
    assert.deepEqual(await addElsewhere(email, id), REFUSED);
  });

  it('other shops add an account that was created with a link that only a mail had', async () => {
    const { email, id } = await join(true);
    assert.deepEqual(await addElsewhere(email, id), ACCEPTED);
  });

  it('a reset link that was mailed proves the address', async () => {
    const { email, id } = await join(false);
    await useMailedReset(id);
    assert.deepEqual(await addElsewhere(email, id), ACCEPTED);
  });

  it('a password set by the operator proves the address, because the operator decides so', async () => {
    const { email, id } = await join(false);
    await base.db.transaction(
      async (tx) => await replacePassword(tx, id, 'x', true, NOW, OPERATOR),
    );
    assert.deepEqual(await addElsewhere(email, id), ACCEPTED);
  });

  it('a reset link that a manager saw ends the proof, until a mailed one is used', async () => {
    const joined = await join(true);
    await useResetByManager(joined);
    assert.deepEqual(await addElsewhere(joined.email, joined.id), REFUSED);
    await useMailedReset(joined.id);
    assert.deepEqual(await addElsewhere(joined.email, joined.id), ACCEPTED);
  });

  it('a reset link that a manager saw and a shop that adds the account exclude each other', async () => {
    for (let round = 0; round < 5; round++) {
      const { first, email, id } = await join(true);
      const by = { kind: 'member', accountId: first.member.account.id } as const;
      const options = { isShown: true, count: async () => ({ kind: 'allowed' }) as const };
      const reset = await base.db.transaction(
        async (tx) => await createResetForMember(tx, first.shop.id, id, options, NOW, by),
      );
      assert.ok(reset.kind === 'created');
      const second = await seedShop(base);
      const person = { email, name: 'CEO', permissions: [], passwordHash: null };
      const [used, added] = await Promise.all([
        base.db.transaction(async (tx) => await usePasswordReset(tx, reset.secret, 'x', NOW)),
        base.db.transaction(
          async (tx) => await addMember(tx, second.shop.id, person, NOW, OPERATOR),
        ),
      ]);
      const both = `${used.kind} ${added.kind}`;
      assert.ok(['used address_unproved', 'gone added'].includes(both), both);
    }
  });
});
