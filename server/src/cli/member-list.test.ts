import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedShop } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { systemClock } from '../base/clock.ts';
import { parseArguments } from './arguments.ts';
import { memberList } from './member-list.ts';

describe('member list', () => {
  it('member list shows the members of the shop with their permissions, and no member of another shop', async () => {
    await using base = await openTestDatabase();
    const { shop, member } = await seedShop(base, { permissions: ['inventory.read'] });
    await seedShop(base);
    const asked = parseArguments(memberList, ['--shop', shop.slug]);
    assert.ok(asked.kind === 'arguments');
    const context = {
      ...base,
      clock: systemClock,
      publicUrl: '',
      secretKey: '',
      restoredTokenDays: 7,
    };
    const result = await memberList.run(asked.args, context, {
      bytes: process.stdin,
      files: [],
      signal: new AbortController().signal,
      ask: null,
      tell: assert.ifError,
    });
    assert.ok(result.kind === 'done');
    const { id, email, name } = member.account;
    const listed = { id, email, name, permissions: ['inventory.read'], isActive: true };
    assert.deepEqual(result.json, { members: [listed] });
    assert.equal(result.text, `${email}  active  ${name}  inventory.read`);
  });
});
