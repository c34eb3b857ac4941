-- Pictures whose bytes go from the store when they are due: uploads that no unit shows yet (noted before a byte of them
-- is written, so that a crash leaves nothing for ever), and photos that were replaced or removed. `attempts` above 0:
-- a removal may have begun, and no unit may show the picture any more.
create table stale_photo (
  shop_id uuid not null references shop,
  picture_id uuid not null,
  due_at timestamptz not null,
  attempts int not null default 0,
  primary key (shop_id, picture_id)
);
create index stale_photo_due on stale_photo (due_at);
