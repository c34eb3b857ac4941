import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import type { Run } from '../../test/cardport.ts';
import { type SeededShop, seedShop } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { findApp } from '../apps/app.ts';
import { listAudit } from '../shops/audit-log.ts';
import { findMember, addMember } from '../shops/member.ts';
import { OPERATOR } from '../shops/audit.ts';
import { PERMISSIONS } from '../shops/permission.ts';
import { listShopKeys } from '../shops/shop-key.ts';

interface Scene {
  readonly base: TestDatabase;
  readonly seeded: SeededShop;
  readonly run: (args: readonly string[], answer?: string | null) => Promise<Run>;
  readonly questions: string[];
}

async function openScene(base: TestDatabase): Promise<Scene> {
  const environment = environmentOf(base);
  const questions: string[] = [];
  return {
    base,
    seeded: await seedShop(base),
    questions,
    run: async (args, answer = null) => {
      const ask = async (question: string): Promise<string> => {
        questions.push(question);
        return await Promise.resolve(answer ?? '');
      };
      return await runCardportInProcess(args, { environment, ask: answer === null ? null : ask });
    },
  };
}

describe('a command that cannot be undone (decision 0237)', () => {
  it('app remove and key remove ask on a terminal, need --yes elsewhere, and change nothing without it', async () => {
    await using base = await openTestDatabase();
    const { seeded, run, questions } = await openScene(base);
    const { shop, app } = seeded;
    const [key] = await listShopKeys(base.db, shop.id);
    assert.ok(key !== undefined);
    const exists = {
      app: async () => (await findApp(base.db, app.clientId))?.removedAt === null,
      key: async () => (await listShopKeys(base.db, shop.id)).length > 0,
    };
    for (const [object, args] of [
      ['app', ['app', 'remove', '--app', app.clientId]],
      ['key', ['key', 'remove', '--shop', shop.slug, '--id', key.id]],
    ] as const) {
      const unconfirmed = await run([...args, '--json']);
      assert.equal(unconfirmed.code, 1);
      assert.equal(JSON.parse(unconfirmed.stderr).error.code, 'confirmation_needed');
      const dry = await run([...args, '--dry-run', '--json']);
      assert.equal(dry.code, 0, dry.stderr);
      assert.ok('effects' in JSON.parse(dry.stdout));
      for (const answer of ['', 'n', 'y ES']) assert.equal((await run(args, answer)).code, 1);
      assert.ok(await exists[object]());
      assert.equal((await run(args, 'yes\n')).code, 0);
      assert.ok(!(await exists[object]()));
      assert.equal((await run([...args, '--yes'])).code, 1, 'there is nothing to remove');
    }
    assert.match(questions[0] ?? '', /connections: 0, approvals: 0, webhooks: 0/);
    assert.match(questions.at(-1) ?? '', /till.*last used: never/);
  });

  it('member set without a change is refused, and permissions are added, removed and replaced', async () => {
    await using base = await openTestDatabase();
    const { seeded, run } = await openScene(base);
    const { shop, member } = seeded;
    const person = { email: 'b@b.example', name: 'B', permissions: [], passwordHash: 'x' };
    await base.db.transaction(
      async (tx) => await addMember(tx, shop.id, person, new Date(), OPERATOR),
    );
    const ofOwner = ['member', 'set', '--shop', shop.slug, '--email', seeded.email];
    const ofOther = [...ofOwner.slice(0, -1), person.email];
    const permissionsOf = async (): Promise<unknown> =>
      (await findMember(base.db, shop.id, member.account.id))?.permissions;
    const before = await listAudit(base.db, shop.id, { before: null, limit: 100 });
    for (const misused of [
      [],
      ['--yes'],
      ['--dry-run'],
      ['--permission', 'inventory.read', '--no-permissions'],
      ['--permission', 'inventory.read', '--add-permission', 'inventory.cost'],
      ['--add-permission', 'everything'],
      ['--activate', '--deactivate'],
      ['--add-permission', ''],
      ['--add-permission', 'inventory.cost', '--remove-permission', 'inventory.cost'],
    ]) {
      assert.equal((await run([...ofOwner, ...misused])).code, 2, misused.join(' '));
    }
    assert.deepEqual(await permissionsOf(), PERMISSIONS);
    for (const ending of [
      ['--no-permissions'],
      ['--permission', ''],
      ['--deactivate'],
      ['--remove-permission', 'members.manage'],
    ]) {
      const refused = await run([...ofOwner, ...ending, '--json']);
      assert.equal(refused.code, 1, ending.join(' '));
      assert.match(refused.stderr, /confirmation_needed.*no active member who may manage members/);
    }
    const dry = JSON.parse(
      (await run([...ofOwner, '--no-permissions', '--dry-run', '--json'])).stdout,
    );
    assert.deepEqual(dry.effects.removedPermissions, PERMISSIONS);
    assert.deepEqual(
      await listAudit(base.db, shop.id, { before: null, limit: 100 }),
      before,
      'nothing changed',
    );

    const add = ['--add-permission', 'members.manage', '--add-permission', 'inventory.read'];
    const added = await run([...ofOther, ...add]);
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /is active with .*; before: active with no permissions/);
    const removed = await run([...ofOwner, '--remove-permission', 'members.manage']);
    assert.equal(removed.code, 0, 'another member may manage members');
    const rest = PERMISSIONS.filter((each) => each !== 'members.manage');
    assert.deepEqual(await permissionsOf(), rest);
    assert.equal((await run([...ofOther, '--deactivate', '--yes'])).code, 0);
    assert.deepEqual(await permissionsOf(), rest);
  });
});
