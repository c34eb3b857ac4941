import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TEST_NOW, type TestParty } from '../../test/partner.ts';
import {
  type ConnectedParty,
  putTestWebhook,
  seedConnectedParty,
  webhookRowOf,
} from '../../test/registered-webhook.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import {
  countOutdatedSecrets,
  deleteExpiredSecrets,
  resealWebhookSecrets,
} from './secret-rotation.ts';
import { WebhookSecrets } from './webhook-secrets.ts';

const OLD = 'the old secret key, 32 characters or more';
const NEW = 'the new secret key, 32 characters or more';
const DAY_MS = 86_400_000;
const { signal } = new AbortController();

/** Returns the secrets with which a node with these keys signs: the newest, then the previous. */
async function secretsOf(
  { db }: TestDatabase,
  secrets: WebhookSecrets,
  party: ConnectedParty,
): Promise<(string | null | undefined)[]> {
  const row = await webhookRowOf(db, party);
  const openOne = (sealed: Buffer | null, keyId: string | null): string | null | undefined =>
    sealed === null || keyId === null
      ? null
      : secrets.unseal(sealed, keyId, party.shop.id, party.connectionId);
  return [openOne(row.sealed, row.keyId), openOne(row.previousSealed, row.previousKeyId)];
}

async function keyIdOf({ db }: TestDatabase, party: TestParty): Promise<string | null> {
  return (await webhookRowOf(db, party)).keyId;
}

describe('webhook secrets during a change of SECRET_KEY (decision 0100)', () => {
  it('secrets are re-encrypted by nodes that have the previous key, and not changed by others', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const old = new WebhookSecrets(OLD, null);
    const careless = new WebhookSecrets(NEW, null);
    const fresh = new WebhookSecrets(NEW, OLD);
    const [one, two] = [await seedConnectedParty(db), await seedConnectedParty(db)];
    const first = await putTestWebhook(db, old, one);
    const second = await putTestWebhook(db, old, one);
    const third = await putTestWebhook(db, old, two);
    assert.deepEqual(await countOutdatedSecrets(db, old), { underPrevious: 0, unreadable: 0 });

    // A node without the previous key can decrypt none of the secrets, and changes none.
    assert.equal(await resealWebhookSecrets(db, careless, signal), 0);
    assert.deepEqual(await countOutdatedSecrets(db, careless), { underPrevious: 0, unreadable: 2 });
    assert.deepEqual(await secretsOf(base, careless, one), [undefined, undefined]);
    assert.deepEqual(await secretsOf(base, old, one), [second, first]);

    assert.deepEqual(await secretsOf(base, fresh, one), [second, first]);
    assert.deepEqual(await countOutdatedSecrets(db, fresh), { underPrevious: 2, unreadable: 0 });
    assert.equal(await resealWebhookSecrets(db, fresh, AbortSignal.abort()), 0);
    assert.equal(await resealWebhookSecrets(db, fresh, signal), 2);
    assert.equal(await resealWebhookSecrets(db, fresh, signal), 0);
    assert.deepEqual(await countOutdatedSecrets(db, fresh), { underPrevious: 0, unreadable: 0 });
    assert.deepEqual(await secretsOf(base, careless, one), [second, first]);
    assert.deepEqual(await secretsOf(base, careless, two), [third, null]);

    // A node with only the old key cannot decrypt the re-encrypted secrets. Secrets that this node
    // encrypts are re-encrypted later.
    assert.deepEqual(await countOutdatedSecrets(db, old), { underPrevious: 0, unreadable: 2 });
    const fourth = await putTestWebhook(db, old, one);
    assert.deepEqual(await secretsOf(base, old, one), [fourth, undefined]);
    assert.deepEqual(await secretsOf(base, fresh, one), [fourth, second]);
    assert.equal(await resealWebhookSecrets(db, fresh, signal), 1);
    assert.deepEqual(await secretsOf(base, careless, one), [fourth, second]);
    assert.equal(await keyIdOf(base, one), fresh.keyIds[0]);
  });

  it('secrets are re-encrypted in batches, even if one of them cannot be decrypted', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const old = new WebhookSecrets(OLD, null);
    const fresh = new WebhookSecrets(NEW, OLD);
    const parties: ConnectedParty[] = [];
    for (let index = 0; index < 5; index++) parties.push(await seedConnectedParty(db));
    const [broken, ...sound] = parties.toSorted((a, b) => (a.shop.id < b.shop.id ? -1 : 1));
    assert.ok(broken);
    for (const party of sound) await putTestWebhook(db, old, party);
    // This secret is encrypted for another connection.
    const other = { seal: (secret: string) => old.seal(secret, broken.shop.id, broken.shop.id) };
    await putTestWebhook(db, Object.assign(new WebhookSecrets(OLD, null), other), broken);
    assert.equal(await resealWebhookSecrets(db, fresh, signal, 2), 4);
    assert.deepEqual(await countOutdatedSecrets(db, fresh), { underPrevious: 1, unreadable: 0 });
    assert.equal(await keyIdOf(base, broken), old.keyIds[0]);
  });

  it('secrets are deleted exactly 24 hours after a newer secret has replaced them', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const secrets = new WebhookSecrets(OLD, null);
    const party = await seedConnectedParty(db);
    const first = await putTestWebhook(db, secrets, party);
    const second = await putTestWebhook(db, secrets, party);
    const end = TEST_NOW.getTime() + DAY_MS;
    assert.equal(await deleteExpiredSecrets(db, new Date(end - 1), signal), 0);
    assert.deepEqual(await secretsOf(base, secrets, party), [second, first]);
    assert.equal(await deleteExpiredSecrets(db, new Date(end), signal), 1);
    assert.deepEqual(await secretsOf(base, secrets, party), [second, null]);
  });
});
