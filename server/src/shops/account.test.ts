import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { normalizeEmail, findAccountByEmail } from './account.ts';
import { addMember } from './member.ts';
import { OPERATOR } from './audit.ts';

describe('the normalized form of an email address', () => {
  it('the normalized form is the same for every case, composition and surrounding space', () => {
    const form = 'hanå@kumo.example';
    for (const email of ['Hana\u030a@Kumo.Example', ' HAN\u212b@kumo.example\t', form]) {
      assert.equal(normalizeEmail(email), form);
    }
  });

  it('the normalized form differs for addresses that only look alike, and is stable', () => {
    const forms = ['i@x.example', 'İ@x.example', 'ı@x.example', 'ｉ@x.example'].map(normalizeEmail);
    assert.equal(new Set(forms).size, 4);
    for (const form of forms) assert.equal(normalizeEmail(form ?? ''), form);
  });

  it('the normalized form has at most 254 characters, and no characters that PostgreSQL cannot store', () => {
    const longest = `${'x'.repeat(252)}@y`;
    assert.equal(normalizeEmail(` ${longest} `), longest);
    assert.equal(normalizeEmail(`x${longest}`), undefined);
    // İ becomes two characters in lower case.
    assert.equal(normalizeEmail(`${'İ'.repeat(127)}@x`), undefined);
    assert.equal(normalizeEmail('a\0b@x.example'), undefined);
    assert.equal(normalizeEmail('\ud800@x.example'), undefined);
  });
});

describe('accounts', () => {
  const base = useTestDatabase();

  it('accounts are found by every spelling of their address, and by no other address', async () => {
    const { member } = await seedShop(base, { email: 'I.Hana@Kumo.example' });
    assert.equal(member.account.email, 'i.hana@kumo.example');
    for (const email of ['i.hana@kumo.example', ' I.HANA@KUMO.EXAMPLE ']) {
      assert.equal((await findAccountByEmail(base.db, email))?.id, member.account.id);
    }
    for (const email of ['İ.hana@kumo.example', 'ı.hana@kumo.example', 'a\0b', '']) {
      assert.equal(await findAccountByEmail(base.db, email), undefined);
    }
  });

  it('accounts are different for addresses that only the database’s case folding makes equal', async () => {
    const { shop, member } = await seedShop(base, { email: 'i@kumo.example' });
    const { email } = member.account;
    const add = async (changed: string): ReturnType<typeof addMember> => {
      const person = { email: changed, name: 'Aki', permissions: [], passwordHash: 'x' };
      return await base.db.transaction(
        async (tx) => await addMember(tx, shop.id, person, new Date(), OPERATOR),
      );
    };
    assert.equal((await add(email.toUpperCase())).kind, 'already_member');
    const other = await add('İ@kumo.example');
    assert.ok(other.kind === 'added');
    assert.notEqual(other.member.account.id, member.account.id);
    assert.equal(
      (await findAccountByEmail(base.db, 'İ@kumo.example'))?.id,
      other.member.account.id,
    );
    assert.deepEqual(await add(`${'İ'.repeat(200)}@x`), {
      kind: 'invalid',
      reason: 'email must have at most 254 characters',
    });
  });
});
