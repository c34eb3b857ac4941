import type { Database } from '../../server/src/database/database.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { postgresqlEngine } from '../../server/src/database/postgresql-engine.ts';
import { statement } from '../../server/src/database/statement.ts';
import { listDueDeliveries } from '../../server/src/delivery/due-deliveries.ts';
import { atMost, type Figure, makeFigure, type Scenario } from '../scenario.ts';
import { type Spread, spreadOf } from '../spread.ts';

const SIZES = [100, 10_000, 100_000];
const SIZES_QUICK = [100, 10_000];
const NOW = new Date('2026-06-01T12:00:00.000Z');
const KEY_ID = 'bench';
const POLLS = 60;
/** One webhook in this many waits for its next retry. */
const FAILING_EVERY = 10;
const MEMBER_ID = '00000000-0000-4000-8000-000000000001';
/**
 * The maximum duration of a check of all webhooks. After the check, a worker waits fifty times as
 * long, at most 10 s (decision 0105).
 */
const FULL_POLL_MS_MAX = 200;

/**
 * Measures how much a worker's polling costs the database when no delivery is due and each webhook
 * belongs to a different shop.
 */
export const duePollsScenario: Scenario = {
  name: 'looks',
  target: 'looks',
  title: 'polls for due deliveries, none of them due',
  isOnlyNamed: true,
  run: async (bench) => {
    const { url } = await bench.database('looks', async (db) => {
      await db.query(fillDuePollAccount, [MEMBER_ID, NOW]);
    });
    const engine = postgresqlEngine(url);
    const db = openDatabase(engine, { onFault: (error) => console.error(error) });
    try {
      const figures: Figure[] = [];
      let filled = 0;
      for (const webhooks of bench.isQuick ? SIZES_QUICK : SIZES) {
        await fill(db, filled + 1, webhooks);
        filled = webhooks;
        const what = `${webhooks.toLocaleString('en')} webhooks`;
        figures.push(figureOf(what, await measure(db), FULL_POLL_MS_MAX));
      }
      return figures;
    } finally {
      await db.close();
      await engine.close();
    }
  },
};

export const fillDuePollAccount = statement(
  'bench_fill_look_account',
  `insert into account (account_id, email, name, password_hash, created_at)
   values ($1, 'a@b.example', 'a', 'none', $2) on conflict do nothing`,
);
export const fillDuePollShops = statement(
  'bench_fill_look_shops',
  `insert into shop (shop_id, slug, name, currency, created_at)
   select md5('shop' || n)::uuid, 's' || n, 's', 'JPY', $3 from generate_series($1::int, $2::int) n`,
);
export const fillDuePollApps = statement(
  'bench_fill_look_apps',
  `insert into app (shop_id, client_id, name, redirect_uris, scopes, shares_cost, is_enabled, created_at, updated_at)
   select md5('shop' || n)::uuid, 'app_' || n, 'a', array['https://a' || n || '.example/c'],
          array['inventory:read'], false, true, $3, $3 from generate_series($1::int, $2::int) n`,
);
export const fillDuePollConnections = statement(
  'bench_fill_look_connections',
  `insert into connection (shop_id, connection_id, client_id, account_id, status, connected_at)
   select md5('shop' || n)::uuid, md5('connection' || n)::uuid, 'app_' || n, $4, 'active', $3
     from generate_series($1::int, $2::int) n`,
);
export const fillDuePollHeads = statement(
  'bench_fill_look_heads',
  `insert into feed_head (shop_id, epoch, seq, changed_at)
   select md5('shop' || n)::uuid, 1, 7, $3 from generate_series($1::int, $2::int) n`,
);
export const fillDuePollWebhooks = statement(
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

async function fill(db: Database, from: number, to: number): Promise<void> {
  await db.query(fillDuePollShops, [from, to, NOW]);
  await db.query(fillDuePollApps, [from, to, NOW]);
  await db.query(fillDuePollConnections, [from, to, NOW, MEMBER_ID]);
  await db.query(fillDuePollHeads, [from, to, NOW]);
  await db.query(fillDuePollWebhooks, [from, to, NOW, KEY_ID, FAILING_EVERY]);
  await db.runScript('vacuum analyze');
}

async function measure(db: Database): Promise<Spread> {
  const bounds = { keyIds: [KEY_ID], exceptFast: [], exceptSlow: [], limit: 1_024 };
  const durationsMs: number[] = [];
  for (let poll = 0; poll < POLLS; poll++) {
    const beganAtMs = performance.now();
    const found = await listDueDeliveries(db, NOW, bounds);
    durationsMs.push(performance.now() - beganAtMs);
    if (found.length > 0) throw new Error(`${found.length} deliveries are due, but none should be`);
  }
  return spreadOf(durationsMs);
}

function figureOf(what: string, { p50, p99 }: Spread, most: number): Figure {
  return makeFigure({
    what,
    unit: 'ms',
    ours: p50,
    target: atMost(most, p50, 'ms'),
    notes: `p99 ${p99.toFixed(1)} ms`,
  });
}
