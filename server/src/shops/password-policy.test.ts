import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findPasswordProblem } from './password-policy.ts';

const HANA = { email: 'hana.hoshino@kumo-cards.example', name: '星野 Hana' };

describe('a new password', () => {
  it('a new password must not be one of the most common passwords, in upper or lower case', async () => {
    for (const password of [
      'password',
      '12345678',
      'QWERTYUIOP',
      'Passw0rd',
      'iloveyou',
      'ｐassword',
    ]) {
      assert.equal(await findPasswordProblem(password, HANA), 'common', password);
    }
  });

  it('a new password must have at least four different characters', async () => {
    for (const password of ['aaaaaaaa', 'abababab', '        ', 'ababcbabcab']) {
      assert.equal(await findPasswordProblem(password, HANA), 'common', password);
    }
  });

  it('a new password must not be the person’s name or email address, or “cardport”, plus a few characters', async () => {
    for (const password of [
      'hana.hoshino@kumo-cards.example',
      'Hana.Hoshino',
      'hoshino1',
      '!!hana2026!!',
      'kumo-cards',
      'kumocardsexample',
      '星野 hana 1!',
      'Cardport24',
    ]) {
      assert.equal(await findPasswordProblem(password, HANA), 'personal', password);
    }
  });

  it('a new password may contain these names among other words, and need not mix kinds of characters', async () => {
    for (const password of [
      'hana keeps a blue kettle',
      'correct horse battery staple',
      'ひらがなだけの長いことば',
      'kQ7#vw2-',
    ]) {
      assert.equal(await findPasswordProblem(password, HANA), undefined, password);
    }
    // Words of up to three letters are ignored.
    const al = { email: 'al@abc.example', name: 'Al Bo' };
    assert.equal(await findPasswordProblem('abc xyz bo', al), undefined);
  });

  it('the length of a new password is checked first', async () => {
    assert.equal(await findPasswordProblem('passwor', HANA), 'too_short');
    assert.equal(await findPasswordProblem('x'.repeat(1_025), HANA), 'too_long');
  });
});
