import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { addMember } from '../shops/member.ts';
import { createShop, listShops } from '../shops/shop.ts';
import type { Database } from './database.ts';
import { restoreSnapshot, takeSnapshot } from './snapshot.ts';
import { OPERATOR } from '../shops/audit.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

async function makeShop(db: Database, slug: string): Promise<void> {
  await db.transaction(async (tx) => {
    const made = await createShop(tx, { name: slug, slug, currency: 'JPY' }, NOW);
    assert.equal(made.kind, 'created');
    if (made.kind !== 'created') return;
    const permissions = ['inventory.read'] as const;
    const person = { email: `${slug}@cards.example`, name: slug, permissions, passwordHash: 'x' };
    assert.equal((await addMember(tx, made.shop.id, person, NOW, OPERATOR)).kind, 'added');
  });
}

// Only the emulator takes snapshots, of the packaged PostgreSQL.
describe('a snapshot (decision 0150)', { skip: IS_ON_CITUS }, () => {
  it('a snapshot restores all rows, removes newer rows, and can be restored again', async () => {
    await using base = await openTestDatabase();
    const slugs = async (): Promise<readonly string[]> =>
      (await listShops(base.db)).map(({ slug }) => slug);
    await makeShop(base.db, 'first');
    await takeSnapshot(base.engine);
    for (const slug of ['second', 'third']) {
      await makeShop(base.db, slug);
      assert.deepEqual(await slugs(), ['first', slug]);
      await restoreSnapshot(base.engine);
      assert.deepEqual(await slugs(), ['first']);
    }
    // Foreign keys are enforced again: they were disabled only during the restore.
    await makeShop(base.db, 'fourth');
    assert.deepEqual(await slugs(), ['first', 'fourth']);
  });
});
