import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../base/secrets.ts';
import { signingKeysOf } from './signature.ts';
import { newWebhookSecret, WebhookSecrets } from './webhook-secrets.ts';

const OLD = 'the old secret key, 32 characters or more';
const NEW = 'the new secret key, 32 characters or more';

describe('webhook secrets (spec 2.5, decision 0100)', () => {
  it('secrets are whsec_ and the padded base64 of 32 bytes, all different', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret);
    for (const secret of secrets) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      const bytes = Buffer.from(secret.slice(6), 'base64');
      assert.equal(bytes.length, 32);
      assert.equal(`whsec_${bytes.toString('base64')}`, secret);
    }
    assert.equal(new Set(secrets).size, 100);
  });

  it('secrets are decrypted only with the same key and for their connection', () => {
    const [shopId, connectionId, secret] = [newId(), newId(), newWebhookSecret()];
    const secrets = new WebhookSecrets(OLD, null);
    const { sealed, keyId } = secrets.seal(secret, shopId, connectionId);
    assert.equal(sealed.includes(Buffer.from(secret.slice(0, 12))), false);
    assert.equal(secrets.unseal(sealed, keyId, shopId, connectionId), secret);
    assert.equal(secrets.unseal(sealed, keyId, shopId, newId()), undefined);
    assert.equal(secrets.unseal(sealed, keyId, newId(), connectionId), undefined);
    assert.equal(secrets.unseal(sealed.subarray(1), keyId, shopId, connectionId), undefined);
    assert.equal(secrets.unseal(sealed, 'another', shopId, connectionId), undefined);
    assert.notDeepEqual(secrets.seal(secret, shopId, connectionId).sealed, sealed);
    // The keys are kept, but only for what was decrypted.
    for (let call = 0; call < 2; call++) {
      const keys = secrets.signingKeys(sealed, keyId, shopId, connectionId);
      assert.deepEqual(keys, signingKeysOf(secret));
      assert.equal(secrets.signingKeys(sealed, keyId, shopId, newId()), undefined);
      assert.equal(secrets.signingKeys(sealed, keyId, newId(), connectionId), undefined);
      assert.equal(secrets.signingKeys(sealed.subarray(1), keyId, shopId, connectionId), undefined);
      assert.equal(secrets.signingKeys(sealed, 'another', shopId, connectionId), undefined);
    }
  });

  it('secrets are decrypted with the current or previous key, and encrypted with the current key', () => {
    const [shopId, connectionId, secret] = [newId(), newId(), newWebhookSecret()];
    const before = new WebhookSecrets(OLD, null);
    const during = new WebhookSecrets(NEW, OLD);
    const after = new WebhookSecrets(NEW, null);
    const { sealed, keyId } = before.seal(secret, shopId, connectionId);
    assert.equal(during.unseal(sealed, keyId, shopId, connectionId), secret);
    assert.equal(after.unseal(sealed, keyId, shopId, connectionId), undefined);
    const anew = during.seal(secret, shopId, connectionId);
    assert.equal(after.unseal(anew.sealed, anew.keyId, shopId, connectionId), secret);
    assert.equal(before.unseal(anew.sealed, anew.keyId, shopId, connectionId), undefined);
    assert.deepEqual(during.keyIds, [...after.keyIds, ...before.keyIds]);
    assert.deepEqual(new WebhookSecrets(OLD, OLD).keyIds, before.keyIds);
    assert.ok(during.keyIds.every((id) => !OLD.includes(id) && !NEW.includes(id)));
  });
});
