-- What a member received or bought with one line of a form. The ids of its units follow from the receipt's id, and a purchase
-- on a boost has the receipt's id, so that both can be undone together.
create table receipt (
  shop_id uuid not null references shop,
  receipt_id uuid not null,
  received_at timestamptz not null,
  account_id uuid not null,
  quantity bigint not null check (quantity > 0),
  boost_id uuid,
  undone_at timestamptz,
  primary key (shop_id, receipt_id),
  foreign key (shop_id, boost_id, receipt_id) references boost_purchase
);
create index receipt_newest on receipt (shop_id, received_at desc, receipt_id);
