import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import pg from 'pg';
import { startTestService, TEST_SECRET_KEY, type TestService } from '../../test/service.ts';
import {
  openEmptyDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../test/test-database.ts';
import { migrate } from '../database/migrate.ts';
import { statement } from '../database/statement.ts';
import { verifyPassword } from '../shops/password.ts';
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

/** Database dumps of older versions, with credentials that these versions issued. */
const OLDER = [
  {
    file: 'first-checkout',
    client:
      'app_jeSpYKlzhnxDlzCcnbKGkrlTAGguCss7k64mEkDf3yQ:cps_jm2c6tziT7YmxK5KJJ0GnCyTK9gsNmMx85KWP0Y1r3b',
    shopKey: 'csk_uMfXhfPEomwVdrOMlSW8XkSN5TDvtgdQe5D3U7fVi1C',
    refreshToken: 'cpr_Jn7g5ukjYdYwgp7II9iOyfgA6RiTrx2lVBNMdXIiTff',
    cursor: 'AUWqNqgAAAAAAAAAAQAAAAAAAAAGTpYPWfbDnvtfDtzh4T2sQA',
    webhookSecret: null,
  },
  {
    file: 'last-with-pglite',
    client:
      'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C:cps_liBnYrlFrh7SJjzYn91y62crT7tUyXXiaAAWSgbQRMo',
    shopKey: 'csk_cUdHutB1ruOsEHvqULih9Egplufr37kBqBJ5nnomzlW',
    refreshToken: 'cpr_XiJUSbk48PQMWFkYN5IG7fnqGaT5iTShNhdjPy86udn',
    cursor: 'AUWqNqgAAAAAAAAAAQAAAAAAAAAGVq-gShgtOv2Ikf73JpzZvA',
    webhookSecret: 'whsec_wY/YtB8wQvTmDNSRTZBIQ9R8xBKe4cIpLvV2jj3LVPE=',
  },
] as const;
type Older = (typeof OLDER)[number];

/** The `PUBLIC_URL` of the older versions. Their tokens are valid only for it. */
const PUBLIC_URL = 'http://127.0.0.1:56480';
const RESOURCE = `${PUBLIC_URL}/partner/v1`;
const [SITE, CARD] = [
  '0b000000-0000-4000-8000-000000000001',
  '0a000000-0000-4000-8000-000000000001',
];
const UNIT = '0c000000-0000-4000-8000-00000000000';
const PERMISSIONS =
  'purchases.read,purchases.write,inventory.read,inventory.write,inventory.cost,integrations.manage,members.manage,integrations.approve';

describe('an upgrade (server/test/older-data)', () => {
  for (const older of OLDER) {
    it(`an upgrade of ${older.file} results in the schema of a new database, and runs only once`, async () => {
      await using current = await openTestDatabase();
      const expected = await current.db.query(selectSchema);
      await using base = await openOlder(older);
      assert.notDeepEqual((await migrate(base.engine)).applied, []);
      assert.deepEqual(await base.db.query(selectSchema), expected);
      assert.deepEqual((await migrate(base.engine)).applied, []);
    });

    it(`an upgrade of ${older.file} keeps members, keys, tokens, cursors, units and webhooks`, async () => {
      await using base = await openOlder(older);
      await migrate(base.engine);
      await checkMember(base);
      await checkWebhook(base, older.webhookSecret);
      await using service = await startTestService(base, { environment: { PUBLIC_URL } });
      await checkApp(service, older);
    });
  }
});

/** Opens a database with the tables and rows of an older version's dump. */
async function openOlder({ file }: Older): Promise<TestDatabase> {
  const base = await openEmptyDatabase();
  const dump = new URL(`../../test/older-data/${file}.sql`, import.meta.url);
  const client = new pg.Client(base.engine.clientConfig());
  await client.connect();
  try {
    await client.query(readFileSync(dump, 'utf8'));
  } finally {
    await client.end();
  }
  return base;
}

async function checkMember({ db }: TestDatabase): Promise<void> {
  const [member, ...others] = await db.query(selectMembers);
  assert.deepEqual(others, []);
  assert.ok(member !== undefined);
  const { passwordHash, ...rest } = member;
  assert.deepEqual(rest, {
    slug: 'kumo',
    shop: '雲カード',
    email: 'aoi@kumo.example',
    permissions: PERMISSIONS.split(','),
  });
  assert.ok(await verifyPassword('correct horse battery staple', passwordHash));
}

async function checkWebhook({ db }: TestDatabase, secret: string | null): Promise<void> {
  const rows = await db.query(selectWebhooks);
  const secrets = new WebhookSecrets(TEST_SECRET_KEY, null);
  const opened = rows.map((row) =>
    secrets.unseal(row.sealed, row.keyId, row.shopId, row.connectionId),
  );
  assert.deepEqual(opened, secret === null ? [] : [secret]);
}

/** Refreshes the token, follows the feed from the old cursor, and writes with the shop's key. */
async function checkApp(service: TestService, older: Older): Promise<void> {
  const token = await refresh(service, older);
  const call = async (path: string): Promise<string> => {
    const answer = await fetch(`${service.url}/partner/v1${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  };
  const connection: { webhook: { url: string } | null } = JSON.parse(await call('/connection'));
  const url = older.webhookSecret === null ? undefined : 'https://sorter.example/hook';
  assert.equal(connection.webhook?.url, url);
  const read = async (query: string): Promise<string[]> => {
    const page: { changes: { kind: string; id: string }[] } = JSON.parse(
      await call(`/inventory/changes${query}`),
    );
    return page.changes.map(({ kind, id }) => `${kind} ${id.at(-1)}`);
  };
  assert.deepEqual(await read(''), ['location 2', 'site 1', 'unit 1', 'unit 2', 'unit 3']);
  assert.deepEqual(await read(`?cursor=${older.cursor}`), []);

  const written = await fetch(`${service.url}/shop/v1/units/${UNIT}4`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${older.shopKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ siteId: SITE, item: { kind: 'card', cardId: CARD } }),
  });
  assert.equal(written.status, 201, await written.text());
  assert.deepEqual(await read(`?cursor=${older.cursor}`), ['unit 4']);
}

async function refresh(service: TestService, older: Older): Promise<string> {
  const answer = await fetch(`${service.url}/auth/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(older.client).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: older.refreshToken,
      resource: RESOURCE,
    }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const body: { access_token: string } = JSON.parse(text);
  return body.access_token;
}

const selectMembers = statement<{
  readonly slug: string;
  readonly shop: string;
  readonly email: string;
  readonly permissions: readonly string[];
  readonly passwordHash: string;
}>(
  'test_upgraded_members',
  `select s.slug, s.name as shop, a.email, m.permissions,
          a.password_hash as "passwordHash"
     from member m join shop s using (shop_id) join account a using (account_id)`,
);

const selectWebhooks = statement<{
  readonly shopId: string;
  readonly connectionId: string;
  readonly sealed: Buffer;
  readonly keyId: string;
}>(
  'test_upgraded_webhooks',
  `select shop_id as "shopId", connection_id as "connectionId", secret_sealed as sealed,
          secret_key_id as "keyId"
     from webhook`,
);

/** Every column, index and constraint as PostgreSQL describes it. */
const selectSchema = statement<{ readonly kind: string; readonly text: string }>(
  'test_whole_schema',
  `select 'column' as kind,
          concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as text
     from information_schema.columns where table_schema = 'public'
   union all
   select 'index', indexdef from pg_indexes where schemaname = 'public'
   union all
   select 'constraint', concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
     from pg_constraint where connamespace = 'public'::regnamespace
   order by kind, text`,
);
