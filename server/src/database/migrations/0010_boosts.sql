-- What a shop buys above its usual price. Whether a boost is open, filled or anything else is not stored: it follows
-- from the row and the instant (decision 0070).
create table boost (
  shop_id uuid not null references shop,
  boost_id uuid not null,
  card_id uuid references card,
  grade_id uuid,
  product_id uuid references product,
  price_minor bigint not null check (price_minor between 0 and 1000000000000),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  remaining_quantity bigint check (remaining_quantity >= 0),
  starts_at timestamptz,
  ends_at timestamptz,
  note text check (length(note) between 1 and 200),
  is_paused boolean not null,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shop_id, boost_id),
  check ((card_id is null) <> (product_id is null)),
  check (grade_id is null or card_id is not null),
  check (ends_at > starts_at)
);
-- The lists and the bound on live boosts read those that are neither ended nor expired, however many there were.
create index boost_live on boost (shop_id, (coalesce(ends_at, 'infinity'::timestamptz))) where ended_at is null;

-- Pieces bought on a boost, by the till's own id. `took` is what was taken off `remaining_quantity`: what comes back
-- when the purchase is cancelled.
create table boost_purchase (
  shop_id uuid not null,
  boost_id uuid not null,
  purchase_id uuid not null,
  quantity bigint not null check (quantity > 0),
  took bigint not null check (took in (0, quantity)),
  created_at timestamptz not null,
  cancelled_at timestamptz,
  primary key (shop_id, boost_id, purchase_id),
  foreign key (shop_id, boost_id) references boost
);
