-- What shops are shown over time. How many notices of a shop were delivered and how many failed, by the hour that began in
-- UTC; the log of attempts itself is not kept for so long.
create table notice_hour (
  shop_id uuid not null references shop,
  hour timestamptz not null,
  delivered bigint not null check (delivered >= 0),
  failed bigint not null check (failed >= 0),
  primary key (shop_id, hour)
);
create index notice_hour_age on notice_hour (hour);

-- Up to where the log has been counted: every attempt that began before is in `notice_hour`, none that began later.
create table notice_roll_up (
  only_row boolean primary key check (only_row),
  rolled_up_to timestamptz not null
);
insert into notice_roll_up values (true, '2000-01-01T00:00:00Z');

-- How many changes each active connection lay behind its shop's feed, four times an hour.
create table lag_sample (
  shop_id uuid not null,
  connection_id uuid not null,
  sampled_at timestamptz not null,
  changes bigint not null check (changes >= 0),
  primary key (shop_id, connection_id, sampled_at)
);
create index lag_sample_age on lag_sample (sampled_at);

-- When samples were taken last, whichever node took them.
create table lag_sampling (
  only_row boolean primary key check (only_row),
  sampled_at timestamptz not null
);
insert into lag_sampling values (true, '2000-01-01T00:00:00Z');
