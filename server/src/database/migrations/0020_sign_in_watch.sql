-- Failed attempts at an account's password from everywhere, by the SHA-256 of what they are counted by. `empty_at` is when
-- all that count will have been forgotten: each failure moves it on.
create table sign_in_budget (
  key_hash text primary key,
  empty_at timestamptz not null
);
create index sign_in_budget_empty on sign_in_budget (empty_at);

-- A person's recent sign-ins and failed attempts, those of one kind and origin within an hour as one row.
create table sign_in_record (
  account_id uuid not null references account,
  record_id uuid not null,
  outcome text not null check (outcome in ('signed_in', 'failed')),
  way text not null check (way in ('password', 'passkey')),
  network text not null check (length(network) <= 64),
  browser text not null check (length(browser) <= 200),
  first_at timestamptz not null,
  last_at timestamptz not null,
  attempts integer not null check (attempts > 0),
  primary key (account_id, record_id)
);
create index sign_in_record_age on sign_in_record (last_at);

-- Failures at an account within the hour that began at `counted_since`. `burst_at` is set while many follow each other;
-- `mailed_at` is when the person was told by mail.
create table sign_in_burst (
  account_id uuid primary key references account,
  counted_since timestamptz not null,
  failures integer not null check (failures > 0),
  last_failure_at timestamptz not null,
  burst_at timestamptz,
  mailed_at timestamptz
);
create index sign_in_burst_age on sign_in_burst (last_failure_at);
