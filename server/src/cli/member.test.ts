import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../../test/test-database.ts';
import { systemClock } from '../base/clock.ts';
import { findAccountByEmail } from '../shops/account.ts';
import { addPasskey, listPasskeys } from '../shops/passkey.ts';
import { verifyPassword } from '../shops/password.ts';
import { findSession, startSession } from '../shops/session.ts';
import { createShop } from '../shops/shop.ts';
import { parseArguments } from './arguments.ts';
import type { Command, CommandContext, CommandResult } from './command.ts';
import { memberAdd, memberSet } from './member.ts';

/** An endless stream in chunks of 1 KiB, and the number of chunks read. */
function endless(first: string): { readonly bytes: Readable; readonly taken: () => number } {
  let taken = 0;
  function* pieces(): Generator<Buffer> {
    yield Buffer.from(first);
    for (;;) {
      taken += 1;
      // If the command has a bug, the test must fail instead of using up the memory.
      if (taken > 10_000) throw new Error('10 MiB were read');
      yield Buffer.alloc(1_024, 'x');
    }
  }
  return { bytes: Readable.from(pieces()), taken: () => taken };
}

async function add(bytes: Readable): Promise<CommandResult> {
  const options = ['--shop', 'a', '--email', 'a@a.example', '--name', 'A', '--password-stdin'];
  const asked = parseArguments(memberAdd, options);
  assert.ok(asked.kind === 'arguments');
  await using base = await openTestDatabase();
  const shop = { name: 'A', slug: 'a', currency: 'JPY' };
  await base.db.transaction(async (tx) => void (await createShop(tx, shop, new Date())));
  // A bad password is refused before the other parts of the context are used.
  const context = { db: base.db } as never;
  const input = {
    bytes,
    files: [],
    signal: new AbortController().signal,
    ask: null,
    tell: assert.ifError,
  };
  return await memberAdd.run(asked.args, context, input);
}

describe('a password from endless input', () => {
  it('a password is read only from the first line of endless input', async () => {
    const { bytes, taken } = endless('short\nlong enough\n');
    const reason = 'the password must have at least 8 characters';
    assert.deepEqual(await add(bytes), { kind: 'misused', reason });
    assert.ok(taken() < 100, `${taken()} KiB`);
    assert.ok(bytes.destroyed);
  });

  it('a password is refused if the first line of the input is too long', async () => {
    const { bytes, taken } = endless('');
    const reason = 'the password must have at most 1,024 bytes';
    assert.deepEqual(await add(bytes), { kind: 'misused', reason });
    assert.ok(taken() < 100, `${taken()} KiB`);
  });
});

describe('member set --password-stdin', () => {
  it('member set --password-stdin replaces the password, removes passkeys, ends all sessions, and keeps permissions', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const shop = { name: 'A', slug: 'a', currency: 'JPY' };
    await db.transaction(async (tx) => void (await createShop(tx, shop, new Date())));
    const clock = systemClock;
    const context = {
      db,
      engine: base.engine,
      clock,
      publicUrl: 'http://127.0.0.1',
      secretKey: 'x'.repeat(32),
      restoredTokenDays: 7,
    };
    const who = ['--shop', 'a', '--email', 'hana@a.example'];
    const person = [
      ...who,
      '--name',
      'Hana Oka',
      '--permission',
      'inventory.read',
      '--password-stdin',
    ];
    for (const refused of ['password', '12345678', 'aaaaaaaa', 'hana@a.example']) {
      assert.equal((await run(memberAdd, context, person, refused)).kind, 'misused', refused);
    }
    assert.equal((await run(memberAdd, context, person, 'the first one')).kind, 'done');
    const before = await findAccountByEmail(db, 'hana@a.example');
    assert.ok(before !== undefined);
    const session = await db.transaction(
      async (tx) => await startSession(tx, before.id, clock.now()),
    );
    assert.notEqual(await findSession(db, session.secret, clock.now()), undefined);

    await db.transaction(async (tx) => {
      const by = { kind: 'member', accountId: before.id } as const;
      const key = { credentialId: 'a-thief', publicKey: Buffer.from([1]), signCount: 0 };
      const passkey = { ...key, name: 'Phone', isSynced: true, transports: [] };
      assert.equal((await addPasskey(tx, before.id, passkey, clock.now(), by)).kind, 'added');
    });

    for (const [refused, why] of [
      ['short', /at least 8/],
      ['password123', /too easy to guess/],
      ['Hana2026', /too similar to the person’s name/],
    ] as const) {
      const result = await run(memberSet, context, [...who, '--password-stdin'], refused);
      assert.ok(result.kind === 'misused', refused);
      assert.match(result.reason, why);
    }
    assert.equal((await listPasskeys(db, before.id)).length, 1);
    assert.notEqual(await findSession(db, session.secret, clock.now()), undefined);

    const set = await run(memberSet, context, [...who, '--password-stdin'], 'the second one');
    assert.ok(set.kind === 'done');
    assert.deepEqual(Reflect.get(set.json, 'permissions'), ['inventory.read']);
    assert.equal(Reflect.get(set.json, 'removedPasskeys'), 1);
    assert.match(set.text, /1 passkey removed, and every browser signed out/);
    assert.deepEqual(await listPasskeys(db, before.id), []);
    const after = await findAccountByEmail(db, 'hana@a.example');
    assert.equal(await verifyPassword('the first one', after?.passwordHash ?? null), false);
    assert.equal(await verifyPassword('the second one', after?.passwordHash ?? null), true);
    assert.equal(await findSession(db, session.secret, clock.now()), undefined);
  });
});

async function run(
  command: Command,
  context: CommandContext,
  options: readonly string[],
  text: string,
): Promise<CommandResult> {
  const asked = parseArguments(command, [...options]);
  assert.ok(asked.kind === 'arguments');
  const signal = new AbortController().signal;
  const bytes = Readable.from([Buffer.from(`${text}\n`)]);
  const input = { bytes, files: [], signal, ask: null, tell: assert.ifError };
  return await command.run(asked.args, context, input);
}
