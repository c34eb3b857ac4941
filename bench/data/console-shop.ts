import type { Database } from '../../server/src/database/database.ts';
import { statement } from '../../server/src/database/statement.ts';
import { OPERATOR } from '../../server/src/shops/audit.ts';
import { addMember } from '../../server/src/shops/member.ts';
import { PERMISSIONS } from '../../server/src/shops/permission.ts';

/** How many objects of each kind a shop has. `attempts` is the number per webhook. */
export interface ConsoleSizes {
  readonly units: number;
  readonly apps: number;
  readonly attempts: number;
  readonly boosts: number;
  readonly members: number;
  readonly audits: number;
}

const id = (kind: string, n: string): string =>
  `overlay(overlay(md5('${kind} ' || ${n}) placing '4' from 13) placing 'a' from 17)::uuid`;

// Parameters: $1 shop, $2 number of members, $3 now. The owner is the first member.
export const fillConsoleMembers = statement(
  'bench_console_members',
  `with accounts as (
    insert into account (account_id, email, name, password_hash, created_at)
    select ${id('member', 'n')}, 'member-' || n || '@cards.example', '田中 葵 ' || n, 'none', $3
    from generate_series(2, $2::int) n returning account_id
  )
  insert into member (shop_id, account_id, permissions, is_active, created_at, updated_at)
  select $1, account_id, '{purchases.read,inventory.read,inventory.write}', true, $3, $3
  from accounts`,
);

// Every second app also has a connection that has ended. $4 is the approving member.
export const fillConsoleApps = statement(
  'bench_console_apps',
  `with made as (
    select n, 'app_console_' || n as client_id, n > $2 as is_old, 'app_console_' || (1 + (n - 1) % $2::int) as of_app
    from generate_series(1, $2::int + $2::int / 2) n
  ), apps as (
    insert into app (shop_id, client_id, name, contact_email, redirect_uris, scopes, shares_cost,
      is_enabled, created_at, updated_at)
    select $1, client_id, 'Price Board ' || n, 'developer@app-' || n || '.example',
      array['https://app-' || n || '.example/callback'],
      '{purchase-boosts:read,inventory:read,offline_access}', false, n % 50 <> 0,
      $3::timestamptz - n * interval '1 hour', $3 from made where not is_old
  ), secrets as (
    insert into app_secret (shop_id, client_id, secret_id, secret_hash, created_at)
    select $1, client_id, ${id('secret', "n || ' ' || k")}, md5('secret ' || n || ' ' || k), $3
    from made, generate_series(1, 2) k where not is_old
  ), approvals as (
    insert into approval (shop_id, approval_id, client_id, account_id, grant_hash, scopes,
      created_at, ended_at, end_reason)
    select $1, ${id('approval', 'n')}, of_app, $4, md5('grant ' || n),
      '{purchase-boosts:read,inventory:read}', $3::timestamptz - n * interval '1 hour',
      case when is_old then $3::timestamptz end, case when is_old then 'connection_ended' end
    from made
  )
  insert into connection (shop_id, connection_id, client_id, account_id, status, connected_at,
    ended_at, end_reason)
  select $1, ${id('connection', 'n')}, of_app, $4, case when is_old then 'revoked' else 'active' end,
    $3::timestamptz - n * interval '1 hour', case when is_old then $3::timestamptz end,
    case when is_old then 'shop' end
  from made`,
);

// One webhook in ten has been failing for an hour; one in twenty lags behind. $4 is the feed's
// head, $5 the number of attempts per webhook.
export const fillConsoleWebhooks = statement(
  'bench_console_webhooks',
  `with made as (
    select n, ${id('connection', 'n')} as connection_id, n % 10 = 0 as fails
    from generate_series(1, $2::int) n
  ), webhooks as (
    insert into webhook (shop_id, connection_id, registration_id, url, origin, created_at,
      secret_sealed, secret_key_id, acknowledged_epoch, acknowledged_seq, attempts_made,
      next_attempt_at, event_id, covers_epoch, covers_seq, occurred_at, failures, failing_since,
      last_attempt_at)
    select $1, connection_id, ${id('registration', 'n')},
      'https://app-' || n || '.example/hooks/cardport', 'https://app-' || n || '.example',
      $3::timestamptz - interval '30 days', decode(repeat('ab', 78), 'hex'), 'bench', 1,
      case when fails then $4::bigint - 1000 else $4::bigint end, $5::int,
      case when fails then $3::timestamptz + interval '1 hour' end,
      case when fails then ${id('event', 'n')} end, case when fails then 1 end,
      case when fails then $4::bigint end, case when fails then $3::timestamptz end,
      case when fails then 6 else 0 end,
      case when fails then $3::timestamptz - interval '1 hour' end, $3::timestamptz
    from made
  ), reads as (
    insert into feed_read (shop_id, connection_id, epoch, seq, read_at)
    select $1, connection_id, 1, case when n % 20 = 1 then $4::bigint - 5000 else $4::bigint end,
      $3::timestamptz - n * interval '1 minute' from made
  )
  insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at,
    latency_ms, status, error)
  select $1, connection_id, k, ${id('event', "n || ' ' || k")}, 1,
    $3::timestamptz - ($5::int - k) * interval '7 minutes', 20 + k % 200,
    case when k % 9 = 0 then 503 else 204 end, case when k % 9 = 0 then 'status' end
  from made, generate_series(1, $5::int) k`,
);

// Adds stock movements that span 400 days.
export const fillConsoleMovements = statement(
  'bench_console_series',
  `insert into stock_movement (shop_id, quarter, delta)
  select $1, date_bin('15 minutes', $2, 'epoch') - k * interval '15 minutes', k % 31 - 10
  from generate_series(1, 38000) k on conflict do nothing`,
);

// Adds boosts in every state: running, paused, scheduled, expired, filled and ended.
export const fillConsoleBoosts = statement(
  'bench_console_boosts',
  `with made as (
    select n, ${id('boost', 'n')} as boost_id, ids[1 + n * 7 % cardinality(ids)] as card_id
    from generate_series(1, $2::int) n, (select array_agg(card_id order by card_id) as ids from card) cards
  ), boosts as (
    insert into boost (shop_id, boost_id, card_id, price_minor, currency, remaining_quantity,
      starts_at, ends_at, note, is_paused, ended_at, created_at, updated_at)
    select $1, boost_id, card_id, 1000 + n * 977 % 90000, 'JPY', n % 12,
      case when n % 20 = 1 then $3::timestamptz + interval '1 day' end,
      case when n % 10 = 2 then $3::timestamptz - interval '1 day'
        when n % 10 = 3 then $3::timestamptz + interval '2 days' end,
      '強化買取中です。状態Aのみ、お一人様3枚まで。', n % 15 = 4,
      case when n % 4 = 0 then $3::timestamptz - n * interval '1 hour' end,
      $3::timestamptz - n * interval '1 hour', $3
    from made
  )
  insert into boost_purchase (shop_id, boost_id, purchase_id, quantity, took, created_at)
  select $1, boost_id, ${id('purchase', "n || ' ' || k")}, 1, 1, $3::timestamptz - k * interval '1 hour'
  from made, generate_series(1, 20) k`,
);

// Entry ids are in time order, as the service generates them. Half of the entries belong to one
// member and a few apps.
export const fillConsoleAudit = statement(
  'bench_console_audit',
  `insert into audit_event (shop_id, entry_id, happened_at, actor_kind, actor_id, actor_name, action,
    subject_kind, subject_id, subject_name, details)
  select $1, overlay(overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
      || substr(md5(n::text), 1, 20) placing '7' from 13) placing 'a' from 17)::uuid, at,
    'member', case when n % 2 = 0 then $4::uuid::text else ${id('member', '2 + n % 48')}::text end, '田中 葵',
    (array['app.changed', 'app.secret_added', 'connection.ended', 'app.disabled'])[1 + n % 4],
    'app', 'app_console_' || 1 + n % 500, 'Price Board', '{"fields": ["name", "redirectUris"]}'
  from (
    select n, $3::timestamptz - ($2::int - n) * interval '5 minutes' as at
    from generate_series(1, $2::int) n
  ) made`,
);

export const fillConsoleHistory = statement(
  'bench_console_history',
  `insert into unit_status_change (shop_id, unit_id, number, changed_at, from_status, to_status,
    actor_kind, actor_id)
  select $1, u.unit_id, k, $3::timestamptz - (300 - k) * interval '1 hour',
    case when k % 2 = 0 then 'reserved' else 'in_stock' end,
    case when k % 2 = 0 then 'in_stock' else 'reserved' end, 'member', $4::uuid::text
  from (select unit_id from unit where shop_id = $1 order by seq desc limit $2) u,
    generate_series(1, 300) k`,
);

// Adds passkeys and sessions of the owner ($2), Shop API keys, and pending invitations.
export const fillConsoleCredentials = statement(
  'bench_console_persons',
  `with passkeys as (
    insert into passkey (account_id, passkey_id, credential_id, public_key, sign_count, transports,
      is_synced, name, created_at)
    select $2, ${id('passkey', 'n')}, 'credential ' || n, '\\x00', 0, '{internal}', true,
      'スマートフォン ' || n, $3 from generate_series(1, 3) n
  ), keys as (
    insert into shop_key (shop_id, key_id, name, key_hash, created_at)
    select $1, ${id('key', 'n')}, 'till ' || n, md5('key ' || n), $3 from generate_series(1, 20) n
  ), sessions as (
    insert into session (session_hash, account_id, created_at, last_seen_at, expires_at)
    select md5('session ' || n), $2, $3, $3, $3::timestamptz + interval '11 hours'
    from generate_series(1, 20) n
  )
  insert into invitation (shop_id, invitation_id, email, permissions, language, secret_hash,
    invited_by, created_at, expires_at)
  select $1, ${id('invitation', 'n')}, 'invited-' || n || '@cards.example', '{inventory.read}', 'ja',
    md5('invitation ' || n), $2, $3, $3::timestamptz + interval '7 days'
  from generate_series(1, 20) n`,
);

const OWNER = 'owner@cards.example';
/** The number of units with a long history. */
const HISTORIES = 1_000;

export const selectConsoleObjects = statement<Omit<ConsoleObjects, 'ownerId'>>(
  'bench_console_objects',
  `select c.client_id as "clientId", w.connection_id as "connectionId",
    (select s.secret_id from app_secret s
      where s.shop_id = $1 and s.client_id = c.client_id order by 1 limit 1) as "secretId",
    (select k.key_id from shop_key k where k.shop_id = $1 order by 1 limit 1) as "keyId"
  from webhook w join connection c using (shop_id, connection_id)
  where w.shop_id = $1 and w.failures > 0 order by w.connection_id limit 1`,
);

/** Ids of created objects whose pages are slow to render. */
export interface ConsoleObjects {
  /** The id of a member with all permissions. */
  readonly ownerId: string;
  /** The id of an app with a failing webhook and two secrets. */
  readonly clientId: string;
  readonly connectionId: string;
  readonly secretId: string;
  readonly keyId: string;
}

/** Adds everything except the units to a shop. */
export async function fillConsoleShop(
  db: Database,
  shopId: string,
  { units, apps, attempts, boosts, members, audits }: ConsoleSizes,
  now: Date,
): Promise<ConsoleObjects> {
  const ownerId = await db.transaction(async (tx) => {
    const person = { email: OWNER, name: '雲野 花', permissions: PERMISSIONS, passwordHash: 'none' };
    const added = await addMember(tx, shopId, person, now, OPERATOR);
    if (added.kind !== 'added') throw new Error(added.kind);
    return added.member.account.id;
  });
  await db.query(fillConsoleMembers, [shopId, members, now]);
  await db.query(fillConsoleApps, [shopId, apps, now, ownerId]);
  await db.query(fillConsoleWebhooks, [shopId, apps, now, units, attempts]);
  await db.query(fillConsoleMovements, [shopId, now]);
  await db.query(fillConsoleBoosts, [shopId, boosts, now]);
  await db.query(fillConsoleAudit, [shopId, audits, now, ownerId]);
  await db.query(fillConsoleHistory, [shopId, HISTORIES, now, ownerId]);
  await db.query(fillConsoleCredentials, [shopId, ownerId, now]);
  const objects = await db.one(selectConsoleObjects, [shopId]);
  if (objects === undefined) throw new Error('no webhook fails');
  return { ...objects, ownerId };
}
