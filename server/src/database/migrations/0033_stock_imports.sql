-- A CSV file of stock that a member uploaded, and how far a process has checked or imported it. The process holds a lease; if it
-- dies, another continues at `rows_done`. Deleted after a day.
create table stock_import (
  shop_id uuid not null references shop,
  import_id uuid not null,
  account_id uuid not null,
  created_at timestamptz not null,
  file_name text not null,
  file bytea not null,
  settings jsonb not null,
  state text not null constraint stock_import_state
    check (state in ('checking', 'checked', 'importing', 'done', 'failed')),
  rows_total bigint not null,
  rows_done bigint not null,
  counts jsonb,
  faults jsonb not null,
  questions jsonb not null,
  lease_id uuid,
  leased_until timestamptz,
  primary key (shop_id, import_id)
);
create index stock_import_expiry on stock_import (created_at);

-- What the columns of a file mean, as a member of the shop last said for a file with the same header.
create table stock_file_layout (
  shop_id uuid not null references shop,
  header_digest text not null,
  mapping jsonb not null,
  used_at timestamptz not null,
  primary key (shop_id, header_digest)
);
