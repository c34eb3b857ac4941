-- A problem of a connection that its shop is told about by mail: once when it has lasted for an hour, once when it is over.
-- `told_at` is when the first mail was sent. Who sends one holds a lease, so that one process does.
create table health_notice (
  shop_id uuid not null,
  connection_id uuid not null,
  problem text not null check (problem in ('webhook', 'approval')),
  since timestamptz not null,
  told_at timestamptz,
  leased_until timestamptz,
  primary key (shop_id, connection_id, problem),
  foreign key (shop_id, connection_id) references connection
);

-- When a process looks for such problems next, in all shops.
create table health_watch (
  slot text primary key check (slot = 'current'),
  next_at timestamptz not null
);
