-- The change feed needs no log: every object carries the position of its latest change, and `doc` is its record as the
-- feed sends it, rendered when it was written. `feed_head.seq` is the highest position of the shop in every snapshot.
create table feed_head (
  shop_id uuid primary key references shop,
  epoch bigint not null,
  seq bigint not null,
  changed_at timestamptz not null
) with (fillfactor = 50);

create table site (
  shop_id uuid not null references shop,
  site_id uuid not null,
  code text not null,
  name text not null,
  kind text not null,
  country_code text not null,
  timezone text not null,
  is_active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null,
  doc text not null,
  primary key (shop_id, site_id)
);
create index site_feed on site (shop_id, seq);

create table location (
  shop_id uuid not null,
  location_id uuid not null,
  site_id uuid not null,
  code text not null,
  name text not null,
  kind text not null,
  is_active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null,
  doc text not null,
  primary key (shop_id, location_id),
  foreign key (shop_id, site_id) references site
);
create index location_feed on location (shop_id, seq);
create index location_site on location (shop_id, site_id);

-- One physical piece. `doc` ends with `"costMinor":`; the reader's right to see the cost decides what follows.
create table unit (
  shop_id uuid not null,
  unit_id uuid not null,
  status text not null check (status in ('in_stock', 'reserved', 'in_transit', 'grading', 'sold', 'returned',
    'written_off', 'voided')),
  site_id uuid not null,
  location_id uuid,
  card_id uuid references card,
  grade_id uuid,
  product_id uuid references product,
  cert_number text,
  serial_number text,
  ownership text not null check (ownership in ('owned', 'consigned')),
  price_minor bigint check (price_minor between 0 and 1000000000000),
  cost_minor bigint check (cost_minor between 0 and 1000000000000),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  photos jsonb not null default '[]',
  acquired_at timestamptz,
  status_changed_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  catalog_position bigint not null,
  seq bigint not null,
  doc text not null,
  primary key (shop_id, unit_id),
  foreign key (shop_id, site_id) references site,
  foreign key (shop_id, location_id) references location,
  check ((card_id is null) <> (product_id is null)),
  check (grade_id is null or card_id is not null)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index unit_feed on unit (shop_id, seq);
create index unit_location on unit (shop_id, location_id) where location_id is not null;
create index unit_card on unit (card_id, catalog_position) where card_id is not null;
create index unit_product on unit (product_id, catalog_position) where product_id is not null;
create index unit_grade on unit (grade_id, catalog_position) where grade_id is not null;

-- How far catalog changes have reached the units that show them.
create table catalog_restamp (
  only_row boolean primary key check (only_row),
  position bigint not null
);
insert into catalog_restamp values (true, 0);
