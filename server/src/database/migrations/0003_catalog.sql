-- The catalog is shared by all shops. A shop's own condition grades stand beside it.
create table game (
  game_id uuid primary key,
  code text not null,
  name text not null
);

-- A card carries its set as its own line spelled it: catalogs share one set id over printings with names of their own.
create table card (
  card_id uuid primary key,
  game_id uuid not null references game,
  set_id uuid,
  set_code text,
  set_name text,
  set_name_en text,
  name text not null,
  localized_names jsonb not null,
  card_number text,
  set_total_raw text,
  jan_code text,
  language_code text not null,
  variant text,
  finish text,
  image_url text,
  rarity_code text,
  rarity_name text,
  is_active boolean not null,
  updated_at timestamptz not null,
  check ((rarity_code is null) = (rarity_name is null)),
  check ((set_id is null) = (set_code is null) and (set_id is null) = (set_name is null)),
  check (set_name_en is null or set_id is not null)
);
create index card_jan on card (jan_code) where jan_code is not null;
create index card_game on card (game_id, card_id);

create table product (
  product_id uuid primary key,
  game_id uuid not null references game,
  name text not null,
  product_kind text not null,
  jan_code text,
  language_code text not null,
  image_url text,
  is_active boolean not null,
  updated_at timestamptz not null
);
create index product_game on product (game_id, product_id);

create table third_party_grade (
  grade_id uuid primary key,
  code text not null,
  label text not null,
  service_code text not null,
  service_name text not null,
  updated_at timestamptz not null
);

create table shop_grade (
  shop_id uuid not null references shop,
  grade_id uuid not null,
  code text not null,
  label text not null,
  service_code text not null,
  service_name text not null,
  updated_at timestamptz not null,
  position bigint not null,
  primary key (shop_id, grade_id)
);

-- Positions of the catalog. Writers of the catalog take turns (an exclusive advisory lock), so positions are in the
-- order of the commits. One row an entry: its latest change.
create sequence catalog_position;
create table catalog_change (
  entry_kind text not null check (entry_kind in ('card', 'product', 'grade')),
  entry_id uuid not null,
  position bigint not null,
  primary key (entry_kind, entry_id)
);
create index catalog_change_position on catalog_change (position);

-- Games that got another code or name, until the change of all their entries is recorded. They are recorded in the order
-- of their ids, in batches; `from_id` is the first that is left.
create table renamed_game (
  game_id uuid not null references game,
  entry_kind text not null check (entry_kind in ('card', 'product')),
  from_id uuid not null,
  primary key (game_id, entry_kind)
);
