import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../../test/app-client.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../../test/service.ts';
import { RawBrowser } from '../../../test/raw-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { listAppSecrets } from '../../apps/app-secret.ts';
import { ManualClock } from '../../base/clock.ts';
import { parseArguments } from '../../cli/arguments.ts';
import { appAdd, appDisable, appEnable, appRemove, appSet } from '../../cli/app.ts';
import type { Command } from '../../cli/command.ts';
import { keyAdd, keyRemove } from '../../cli/key.ts';
import { memberAdd, memberSet } from '../../cli/member.ts';
import { token } from '../../cli/token.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { addMember } from '../../shops/member.ts';
import { DUMMY_HASH } from '../../shops/password.ts';
import { listAudit } from '../../shops/audit-log.ts';
import { startSession } from '../../shops/session.ts';

const SECRET_KEY = 'a secret key of tests, 32 characters or more';

describe('the actors in the audit log', () => {
  let base: TestDatabase;
  let service: TestService;
  let clock: ManualClock;
  let seeded: SeededShop;
  let app: AppClient;
  /** The id of the newest entry that `newEntries` has returned. */
  let seen: string | null;
  before(async () => {
    base = await openTestDatabase();
    clock = new ManualClock(new Date());
    service = await startTestService(base, { clock });
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  async function begin(): Promise<void> {
    seeded = await seedShop(base, { now: clock.now() });
    app = new AppClient(service, seeded);
    seen = null;
    await newEntries();
  }

  /**
   * Returns the entries recorded since the last call, oldest first, as `action by kind name on
   * subject`.
   */
  async function newEntries(shopId = seeded.shop.id): Promise<readonly string[]> {
    clock.advance(1);
    const entries = await listAudit(base.db, shopId, { before: null, limit: 100 });
    const last = seen;
    seen = entries[0]?.id ?? null;
    return entries
      .filter(({ id }) => last === null || id > last)
      .map(({ action, actor, subject }) =>
        [action, 'by', actor.kind, actor.name, 'on', subject.name].filter(Boolean).join(' '),
      )
      .toReversed();
  }

  async function command(which: Command, options: readonly string[], text = ''): Promise<object> {
    const asked = parseArguments(which, [...options]);
    assert.ok(asked.kind === 'arguments');
    const { signal } = new AbortController();
    const bytes = Readable.from([Buffer.from(`${text}\n`)]);
    const context = {
      ...base,
      clock,
      publicUrl: service.publicUrl,
      secretKey: SECRET_KEY,
      restoredTokenDays: 7,
    };
    const result = await which.run(asked.args, context, {
      bytes,
      files: [],
      signal,
      ask: null,
      tell: assert.ifError,
    });
    assert.ok(result.kind === 'done', JSON.stringify(result));
    return result.json;
  }

  it('actors are recorded when an app is approved and connected, and when its connection ends', async () => {
    await begin();
    const { name } = seeded.member.account;
    const first = await app.tokens();
    assert.deepEqual(await newEntries(), [
      `account.signed_in by member ${name} on ${name}`,
      `approval.given by member ${name} on Stock Mirror`,
    ]);
    assert.equal((await app.call('POST', '/connection', first.access_token)).status, 201);
    assert.deepEqual(await newEntries(), ['connection.opened by app Stock Mirror on Stock Mirror']);
    assert.equal((await app.call('POST', '/connection', first.access_token)).status, 200);
    assert.equal((await app.call('GET', '/inventory/changes', first.access_token)).status, 200);
    assert.equal((await app.refresh(first.refresh_token)).status, 200);
    assert.deepEqual(await newEntries(), [], 'other requests are not recorded');
    clock.advance(61_000);
    assert.equal((await app.refresh(first.refresh_token)).status, 400);
    assert.deepEqual(await newEntries(), ['approval.ended by service on Stock Mirror']);
    const second = await app.tokens();
    await newEntries();
    assert.equal((await app.revoke(second.refresh_token)).status, 200);
    assert.deepEqual(await newEntries(), [
      'approval.ended by app Stock Mirror on Stock Mirror',
      'connection.ended by app Stock Mirror on Stock Mirror',
    ]);
    const third = await app.tokens();
    await app.call('POST', '/connection', third.access_token);
    await newEntries();
    assert.equal((await app.call('DELETE', '/connection', third.access_token)).status, 204);
    assert.deepEqual(await newEntries(), ['connection.ended by app Stock Mirror on Stock Mirror']);
  });

  it('the API key is recorded as the actor when a system of the shop ends a connection', async () => {
    await begin();
    const { access_token } = await app.tokens();
    const opened = await app.call('POST', '/connection', access_token);
    const connection = JSON.parse(opened.text) as { readonly id: string };
    await newEntries();
    const answer = await fetch(`${service.shopUrl}/connections/${connection.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${seeded.shopKey}` },
    });
    assert.equal(answer.status, 204);
    assert.deepEqual(await newEntries(), ['connection.ended by shop_key till on Stock Mirror']);
  });

  it('the operator is recorded as the actor of commands', async () => {
    await begin();
    const shop = ['--shop', seeded.shop.slug];
    const uri = ['--redirect-uri', 'https://a.example/cb'];
    const made = await command(appAdd, [
      ...shop,
      '--name',
      'A',
      ...uri,
      '--scope',
      'inventory:read',
    ]);
    assert.ok('clientId' in made && typeof made.clientId === 'string');
    const which = ['--app', made.clientId];
    await command(appSet, [...which, '--redirect-uri', 'https://a.example/other']);
    await command(appDisable, which);
    await command(appDisable, which);
    await command(appEnable, which);
    const who = ['--member', seeded.email, '--scope', 'inventory:read'];
    await command(token, [...shop, ...which, ...who]);
    await command(appRemove, [...which, '--yes']);
    assert.deepEqual(await newEntries(), [
      'app.registered by operator on A',
      'app.redirect_uris_changed by operator on A',
      'app.disabled by operator on A',
      'app.enabled by operator on A',
      'approval.given by operator on A',
      'connection.opened by operator on A',
      'connection.ended by operator on A',
      'app.removed by operator on A',
    ]);
    const person = [...shop, '--email', 'rin@rin.example'];
    await command(memberAdd, [...person, '--name', 'Rin', '--password-stdin'], 'the first one');
    await command(memberSet, [...person, '--permission', 'inventory.read']);
    await command(memberSet, [...person, '--permission', 'inventory.read']);
    await command(memberSet, [...person, '--deactivate']);
    await command(memberSet, [...person, '--activate']);
    await startSession(base.db, seeded.member.account.id, clock.now());
    const self = [...shop, '--email', seeded.email, '--password-stdin'];
    await command(memberSet, self, 'another password');
    const key = await command(keyAdd, [...shop, '--name', 'office']);
    assert.ok('id' in key && typeof key.id === 'string');
    await command(keyRemove, [...shop, '--id', key.id, '--yes']);
    const { name } = seeded.member.account;
    assert.deepEqual(await newEntries(), [
      'member.added by operator on Rin',
      'member.permissions_changed by operator on Rin',
      'member.deactivated by operator on Rin',
      'member.activated by operator on Rin',
      `account.password_changed by operator on ${name}`,
      `account.sessions_ended by operator on ${name}`,
      'shop_key.created by operator on office',
      'shop_key.removed by operator on office',
    ]);
  });

  it('the member is recorded as the actor of changes in the console', async () => {
    await begin();
    const browser = await RawBrowser.open(service, base.db, seeded.member.account.id);
    const { slug, id: shopId } = seeded.shop;
    const other = await base.db.transaction(async (tx) => {
      const person = {
        email: 'rin@clerk.example',
        name: 'Rin',
        permissions: [],
        passwordHash: DUMMY_HASH,
      };
      const known = await addMember(tx, shopId, person, clock.now(), OPERATOR);
      assert.ok(known.kind === 'added');
      return known.member.account.id;
    });
    await newEntries();
    const post = async (
      sub: string,
      fields: Readonly<Record<string, string>> = {},
    ): Promise<void> => {
      const answer = await browser.post(`/console/shops/${slug}${sub}`, fields);
      assert.equal(answer.status, 303, `${sub}: ${answer.text}`);
    };
    const { clientId } = seeded.app;
    await post(`/apps/${clientId}/disable`);
    await post(`/apps/${clientId}/enable`);
    await post(`/apps/${clientId}/secrets`);
    const [, oldest] = await listAppSecrets(base.db, shopId, clientId);
    await post(`/apps/${clientId}/secrets/${oldest?.id ?? ''}/remove`);
    await post(`/members/${other}/permissions`, { 'permissions.inventory.read': 'on' });
    await post(`/members/${other}/deactivate`);
    await post(`/members/${other}/activate`);
    const by = `by member ${seeded.member.account.name}`;
    assert.deepEqual(await newEntries(), [
      `app.disabled ${by} on Stock Mirror`,
      `app.enabled ${by} on Stock Mirror`,
      `app.secret_added ${by} on Stock Mirror`,
      `app.secret_removed ${by} on Stock Mirror`,
      `member.permissions_changed ${by} on Rin`,
      `member.deactivated ${by} on Rin`,
      `member.activated ${by} on Rin`,
    ]);
  });

  it('the audit log contains no secrets or tokens', async () => {
    await begin();
    const tokens = await app.tokens();
    await app.call('POST', '/connection', tokens.access_token);
    await app.revoke(tokens.refresh_token);
    const entries = await listAudit(base.db, seeded.shop.id, { before: null, limit: 100 });
    assert.ok(entries.length >= 7);
    assert.doesNotMatch(JSON.stringify(entries), /cp[a-z]_[A-Za-z0-9]{43}|csk_[A-Za-z0-9]{43}/);
  });
});
