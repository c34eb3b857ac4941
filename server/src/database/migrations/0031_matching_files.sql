-- The ids that public card databases and marketplaces use for a card; several cards (finishes, languages) share one.
create table card_external_id (
  source text not null,
  external_id text not null,
  card_id uuid not null references card,
  primary key (source, external_id, card_id)
);

-- A shop's file names a card by its set and number, else by its name. A number counts without its total (048/090) and zeros before it.
create index card_set_code_number
  on card (lower(set_code), ltrim(lower(regexp_replace(card_number, '/[A-Za-z]{0,3}[0-9]+$', '')), '0')) where set_code is not null;
create index card_set_name_number
  on card (lower(set_name), ltrim(lower(regexp_replace(card_number, '/[A-Za-z]{0,3}[0-9]+$', '')), '0')) where set_name is not null;
create index card_set_name_en_number
  on card (lower(set_name_en), ltrim(lower(regexp_replace(card_number, '/[A-Za-z]{0,3}[0-9]+$', '')), '0'))
  where set_name_en is not null and set_name_en <> set_name;
create index card_name on card (lower(name));
create index card_name_en on card (lower(localized_names ->> 'en')) where localized_names ->> 'en' <> name;
create index card_name_ja on card (lower(localized_names ->> 'ja')) where localized_names ->> 'ja' <> name;
create index product_jan on product (jan_code) where jan_code is not null;
create index product_name on product (lower(name));
