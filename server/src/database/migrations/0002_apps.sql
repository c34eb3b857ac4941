-- An app (OAuth client) belongs to the one shop that registered it. A removed one keeps its row: tokens that are still
-- out must be told `connection_revoked`.
create table app (
  shop_id uuid not null references shop,
  client_id text not null,
  name text not null check (length(name) between 1 and 200),
  contact_email text check (length(contact_email) <= 254),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 20),
  scopes text[] not null check (scopes <@ array[
    'openid', 'profile', 'offline_access', 'purchase-boosts:read', 'inventory:read']),
  shares_cost boolean not null,
  is_enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz,
  primary key (shop_id, client_id)
);
create index app_client on app (client_id);

-- At most two secrets are live, for a change-over.
create table app_secret (
  shop_id uuid not null,
  client_id text not null,
  secret_id uuid not null,
  secret_hash text not null,
  created_at timestamptz not null,
  primary key (shop_id, client_id, secret_id),
  foreign key (shop_id, client_id) references app
);
