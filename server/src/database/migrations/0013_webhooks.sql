-- The one webhook of a connection. Level-triggered: a notice is due while the shop's feed head lies past what was
-- acknowledged. A removed one keeps its row without its secrets, so that the shop can be told why, and so that a notice
-- which is still on its way is known. The pending notice is `event_id`: what it covers, since when it is tried, and how
-- often it was. A worker that sends holds a lease, by the database's own clock; the pace after an attempt is a lease of
-- nobody. Without `next_attempt_at` no retry is scheduled: what there is to tell is due at once.
create table webhook (
  shop_id uuid not null,
  connection_id uuid not null,
  registration_id uuid not null,
  url text not null check (length(url) between 1 and 2048),
  origin text not null check (length(origin) between 1 and 2048),
  created_at timestamptz not null,
  removed_at timestamptz,
  removal_reason text check (removal_reason in ('app', 'gone', 'failing', 'redirect_uri', 'connection_ended')),
  secret_sealed bytea check (octet_length(secret_sealed) <= 512),
  secret_key_id text,
  previous_sealed bytea check (octet_length(previous_sealed) <= 512),
  previous_key_id text,
  previous_until timestamptz,
  acknowledged_epoch bigint not null,
  acknowledged_seq bigint not null,
  event_id uuid,
  covers_epoch bigint,
  covers_seq bigint,
  occurred_at timestamptz,
  attempt int not null default 0 check (attempt >= 0),
  failures int not null default 0 check (failures >= 0),
  failing_since timestamptz,
  next_attempt_at timestamptz,
  not_before timestamptz,
  early_at timestamptz,
  last_attempt_at timestamptz,
  slow_until timestamptz,
  attempts_made bigint not null default 0,
  lease_id uuid,
  leased_until timestamptz,
  primary key (shop_id, connection_id),
  foreign key (shop_id, connection_id) references connection,
  check ((removed_at is null) = (removal_reason is null)),
  check ((removed_at is null) = (secret_sealed is not null)),
  check ((secret_sealed is null) = (secret_key_id is null)),
  check ((previous_sealed is null) = (previous_key_id is null)
    and (previous_sealed is null) = (previous_until is null)),
  check ((covers_epoch is null) = (covers_seq is null)),
  check (covers_seq is null or event_id is not null),
  check (lease_id is null or leased_until is not null),
  check ((failures = 0) = (failing_since is null)),
  check (failures = 0 or next_attempt_at is not null)
) with (fillfactor = 70);
-- Retries. No column that it names changes while notices are delivered: then neither a claim nor its result touches any
-- index (HOT updates).
create index webhook_retry on webhook (least(next_attempt_at, early_at)) where failures > 0 and removed_at is null;

-- One row an attempt, written before it is sent. Neither status nor error: it is under way, or its worker has died. Each
-- is updated once, within its page.
create table webhook_attempt (
  shop_id uuid not null,
  connection_id uuid not null,
  number bigint not null,
  event_id uuid not null,
  attempt int not null check (attempt >= 1),
  started_at timestamptz not null,
  latency_ms int check (latency_ms >= 0),
  status int check (status between 100 and 999),
  error text check (error in ('status', 'redirect', 'gone', 'blocked_address', 'dns', 'connect', 'tls', 'timeout',
    'reset', 'protocol', 'interrupted')),
  primary key (shop_id, connection_id, number)
) with (fillfactor = 50);
create index webhook_attempt_age on webhook_attempt (started_at);

-- Where each connection last read the feed from, noted every few seconds: the shop sees how far an app lies behind.
create table feed_read (
  shop_id uuid not null,
  connection_id uuid not null,
  epoch bigint not null,
  seq bigint not null,
  read_at timestamptz not null,
  primary key (shop_id, connection_id),
  foreign key (shop_id, connection_id) references connection
) with (fillfactor = 70);
