import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashPassword, verifyPassword, DUMMY_HASH, findPasswordLengthProblem } from './password.ts';

describe('passwords', () => {
  it('passwords are stored as argon2id with a unique salt, in PHC format', async () => {
    const [one, two] = await Promise.all([
      hashPassword('correct horse'),
      hashPassword('correct horse'),
    ]);
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(one, two);
    assert.equal(await verifyPassword('correct horse', one), true);
    assert.equal(await verifyPassword('correct horse ', one), false);
    assert.equal(await verifyPassword('', one), false);
  });

  it('passwords are equal regardless of how the keyboard composed their characters (RFC 8265)', async () => {
    const hash = await hashPassword('パスワード-caf\u00e9');
    assert.equal(await verifyPassword('パスワード-cafe\u0301', hash), true);
  });

  it('hashes with other parameters, which the PHC format contains, are verified', async () => {
    // RFC 9106's reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32
    const hash =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await verifyPassword('password', hash), true);
    assert.equal(await verifyPassword('Password', hash), false);
  });

  it('checking a password of an unknown account takes the same time, and always fails', async () => {
    const hash = await hashPassword('correct horse');
    const work = (phc: string): readonly string[] => phc.split('$').slice(0, 4);
    assert.deepEqual(work(DUMMY_HASH), work(hash));
    assert.deepEqual(DUMMY_HASH.length, hash.length);
    assert.equal(await verifyPassword('', null), false);
    assert.equal(await verifyPassword('wrong', null), false);
  });

  it('passwords of more than 1,024 bytes or fewer than 8 characters are refused', async () => {
    assert.equal(findPasswordLengthProblem('あ'.repeat(8)), undefined);
    assert.equal(findPasswordLengthProblem('1234567'), 'too_short');
    assert.equal(findPasswordLengthProblem('a'.repeat(1_024)), undefined);
    assert.equal(findPasswordLengthProblem('a'.repeat(1_025)), 'too_long');
    const hash = await hashPassword('a'.repeat(1_024));
    assert.equal(await verifyPassword('a'.repeat(1_025), hash), false);
  });

  it('a damaged hash throws an error, and cannot cause an allocation of gigabytes', async () => {
    for (const hash of [
      '',
      'plain',
      '$argon2id$v=19$m=9999999,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    ]) {
      await assert.rejects(verifyPassword('password', hash), /damaged/);
    }
  });
});
