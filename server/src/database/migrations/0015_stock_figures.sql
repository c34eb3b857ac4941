-- What members are shown of a large stock without counting it. Written in the transaction that writes the units, behind
-- the lock of the shop's feed head, so writers of one shop take turns and all three are exact (decision 0184).

-- Writers of units wait until the commit: what came between the counts below and the commit would be in none of them, for
-- good. Reads go on; only the last two lines stop them, for a moment. A million units take some seconds.
lock table unit in share row exclusive mode;

-- How many units stand at each site in each status.
create table stock_count (
  shop_id uuid not null,
  site_id uuid not null,
  status text not null check (status in ('in_stock', 'reserved', 'in_transit', 'grading', 'sold', 'returned',
    'written_off', 'voided')),
  units bigint not null,
  primary key (shop_id, site_id, status),
  foreign key (shop_id, site_id) references site
) with (fillfactor = 50);

-- What came into stock (in_stock, reserved, in_transit, grading) less what left it, for each quarter of an hour in which
-- anything did. All of a shop's add up to its stock, less what is older than the oldest that is kept.
create table stock_movement (
  shop_id uuid not null references shop,
  quarter timestamptz not null,
  delta bigint not null,
  primary key (shop_id, quarter)
) with (fillfactor = 50);

create index stock_movement_age on stock_movement (quarter);

-- Each change of a unit's status after its creation. `number` is the position in the feed that the unit got by it.
create table unit_status_change (
  shop_id uuid not null references shop,
  unit_id uuid not null,
  number bigint not null,
  changed_at timestamptz not null,
  from_status text not null,
  to_status text not null,
  actor_kind text not null check (actor_kind in ('member', 'app', 'shop_key', 'operator', 'service')),
  actor_id text,
  primary key (shop_id, unit_id, number)
);

insert into stock_count (shop_id, site_id, status, units)
select shop_id, site_id, status, count(*) from unit group by shop_id, site_id, status;

-- What rows still tell: when a unit came, and when one that is gone left. What came and went in between is not known.
insert into stock_movement (shop_id, quarter, delta)
select shop_id, date_bin('15 minutes', at, 'epoch'), sum(delta) from (
  select shop_id, created_at as at, 1 as delta from unit
  union all
  select shop_id, status_changed_at, -1 from unit
  where status not in ('in_stock', 'reserved', 'in_transit', 'grading')
) moved group by 1, 2 having sum(delta) <> 0;

-- A filtered list walks one of these in the order of the positions, for each pair that it names (decision 0185).
create index unit_place on unit (shop_id, site_id, status, seq);
create index unit_location_by_status on unit (shop_id, location_id, status, seq) where location_id is not null;
create index unit_item on unit (shop_id, coalesce(card_id, product_id), status, seq);
create index unit_of_grade on unit (shop_id, grade_id, status, seq) where grade_id is not null;
create index unit_cert on unit (shop_id, cert_number, seq) where cert_number is not null;
create index unit_serial on unit (shop_id, serial_number, seq) where serial_number is not null;

-- Whoever reads units waits for the rest: it stands last.
drop index unit_location;
alter index unit_location_by_status rename to unit_location;
