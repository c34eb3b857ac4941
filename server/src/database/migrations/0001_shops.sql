-- A shop, the accounts (persons) known to the whole service, and the members that join the two.
create table shop (
  shop_id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 63),
  name text not null check (length(name) between 1 and 200),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null
);

create table account (
  account_id uuid primary key,
  email text not null check (length(email) between 3 and 254),
  name text not null check (length(name) between 1 and 200),
  password_hash text not null,
  created_at timestamptz not null
);
create unique index account_email on account (lower(email));

create table member (
  shop_id uuid not null references shop,
  account_id uuid not null references account,
  permissions text[] not null check (permissions <@ array[
    'purchases.read', 'purchases.write', 'inventory.read', 'inventory.write', 'inventory.cost',
    'integrations.manage', 'members.manage']),
  is_active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shop_id, account_id)
);
create index member_account on member (account_id);

-- A signed-in browser. The cookie's value is the secret; only its SHA-256 is here.
create table session (
  session_hash text primary key,
  account_id uuid not null references account,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index session_account on session (account_id);
create index session_expiry on session (expires_at);

-- A key of the Shop API (`csk_…`).
create table shop_key (
  shop_id uuid not null references shop,
  key_id uuid not null,
  name text not null check (length(name) <= 200),
  key_hash text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (shop_id, key_id)
);
create index shop_key_hash on shop_key (key_hash);
