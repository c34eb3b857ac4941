-- An approval put to use. At most one is active for an app and its shop; `account_id` is the member who posted last.
create table connection (
  shop_id uuid not null references shop,
  connection_id uuid not null,
  client_id text not null,
  account_id uuid not null references account,
  status text not null check (status in ('active', 'revoked')),
  connected_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('app', 'shop', 'app_deleted', 'token_revoked', 'shop_closed')),
  primary key (shop_id, connection_id),
  foreign key (shop_id, client_id) references app,
  check ((status = 'revoked') = (ended_at is not null)),
  check ((ended_at is null) = (end_reason is null))
);
create unique index connection_active on connection (shop_id, client_id) where status = 'active';
create index connection_app on connection (shop_id, client_id);
