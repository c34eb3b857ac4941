// Measures what a look for due notices costs when none is due: `node bench/webhook-looks.ts [webhooks …]` (100, 10,000 and
// 100,000), each of a shop of its own, on a durable PostgreSQL of its own. `--plans` prints the plans too.
import { loadavg } from 'node:os';
import pg from 'pg';
import { type Statement, statement } from '../server/src/database/statement.ts';
import {
  findDuePending,
  findDueUntold,
  listDuePending,
  listDueUntold,
} from '../server/src/webhooks/due.ts';
import { openBenchDatabase } from './search-database.ts';
import { spreadOf, tellSpread } from './spread.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const KEY_ID = 'bench';
const LOOKS = 60;
/** One webhook in so many waits for its next retry. */
const FAILING_EVERY = 10;
const MEMBER_ID = '00000000-0000-4000-8000-000000000001';

export const fillLookAccount = statement(
  'bench_fill_look_account',
  `insert into account (account_id, email, name, password_hash, created_at)
   values ($1, 'a@b.example', 'a', 'none', $2) on conflict do nothing`,
);
export const fillLookShops = statement(
  'bench_fill_look_shops',
  `insert into shop (shop_id, slug, name, currency, created_at)
   select md5('shop' || n)::uuid, 's' || n, 's', 'JPY', $3 from generate_series($1::int, $2::int) n`,
);
export const fillLookApps = statement(
  'bench_fill_look_apps',
  `insert into app (shop_id, client_id, name, redirect_uris, scopes, shares_cost, is_enabled, created_at, updated_at)
   select md5('shop' || n)::uuid, 'app_' || n, 'a', array['https://a' || n || '.example/c'],
          array['inventory:read'], false, true, $3, $3 from generate_series($1::int, $2::int) n`,
);
export const fillLookConnections = statement(
  'bench_fill_look_connections',
  `insert into connection (shop_id, connection_id, client_id, account_id, status, connected_at)
   select md5('shop' || n)::uuid, md5('connection' || n)::uuid, 'app_' || n, $4, 'active', $3
     from generate_series($1::int, $2::int) n`,
);
export const fillLookHeads = statement(
  'bench_fill_look_heads',
  `insert into feed_head (shop_id, epoch, seq, changed_at)
   select md5('shop' || n)::uuid, 1, 7, $3 from generate_series($1::int, $2::int) n`,
);
export const fillLookWebhooks = statement(
  'bench_fill_look_webhooks',
  `insert into webhook (shop_id, connection_id, registration_id, url, origin, created_at,
     secret_sealed, secret_key_id, acknowledged_epoch, acknowledged_seq, next_attempt_at,
     event_id, covers_epoch, covers_seq, occurred_at, failures, failing_since)
   select md5('shop' || n)::uuid, md5('connection' || n)::uuid, md5('registration' || n)::uuid,
          'https://a' || n || '.example/hooks/cardport', 'https://a' || n || '.example', $3,
          decode(repeat('ab', 78), 'hex'), $4, 1, case when waits then 6 else 7 end,
          case when waits then $3::timestamptz + interval '1 hour' end,
          case when waits then md5('event' || n)::uuid end, case when waits then 1 end,
          case when waits then 7 end, case when waits then $3::timestamptz end,
          case when waits then 6 else 0 end, case when waits then $3::timestamptz - interval '1 hour' end
     from (select n, n % $5::int = 0 as waits from generate_series($1::int, $2::int) n) as one`,
);

await using base = await openBenchDatabase();
await base.db.query(fillLookAccount, [MEMBER_ID, NOW]);
let filled = 0;
for (const webhooks of asked()) {
  await fill(filled + 1, webhooks);
  filled = webhooks;
  await tell(webhooks, 'every webhook', listDueUntold);
  await tell(webhooks, 'retries', listDuePending);
  if (process.argv.includes('--plans')) {
    await tellPlan(findDueUntold);
    await tellPlan(findDuePending);
  }
}

function asked(): readonly number[] {
  const numbers = process.argv.slice(2).filter((word) => /^\d+$/.test(word));
  return numbers.length === 0 ? [100, 10_000, 100_000] : numbers.map(Number);
}

async function fill(from: number, to: number): Promise<void> {
  const { db } = base;
  await db.query(fillLookShops, [from, to, NOW]);
  await db.query(fillLookApps, [from, to, NOW]);
  await db.query(fillLookConnections, [from, to, NOW, MEMBER_ID]);
  await db.query(fillLookHeads, [from, to, NOW]);
  await db.query(fillLookWebhooks, [from, to, NOW, KEY_ID, FAILING_EVERY]);
  await db.script('vacuum analyze');
}

async function tell(webhooks: number, name: string, list: typeof listDueUntold): Promise<void> {
  const bounds = { keyIds: [KEY_ID], exceptOrigins: [], isSlow: false, limit: 1_024 };
  const durationsMs: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    const beganAtMs = performance.now();
    const found = await list(base.db, NOW, bounds);
    durationsMs.push(performance.now() - beganAtMs);
    if (found.length > 0) throw new Error(`${found.length} are due`);
  }
  const load = loadavg()[0]?.toFixed(1) ?? '';
  console.log(`${webhooks} webhooks, ${name}: ${tellSpread(spreadOf(durationsMs))}, load ${load}`);
}

async function tellPlan({ text }: Statement<object>): Promise<void> {
  const client = new pg.Client({ connectionString: base.url });
  await client.connect();
  const values = [NOW, [KEY_ID], [], false, 1_024];
  const { rows } = await client.query<Record<string, string>>(
    `explain (analyze, buffers) ${text}`,
    values,
  );
  for (const row of rows) console.log(`  ${row['QUERY PLAN']}`);
  await client.end();
}
