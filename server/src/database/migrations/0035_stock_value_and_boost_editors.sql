-- The value of the stock is summed from this index alone: a million units take about 0.1 s once they are vacuumed.
create index unit_value on unit (shop_id, site_id, currency) include (price_minor, cost_minor)
  where status in ('in_stock', 'reserved', 'in_transit', 'grading');

-- Who last changed what a boost offers, and when. Purchases change `updated_at` only.
alter table boost
  add column edited_at timestamptz,
  add column edited_by_kind text constraint boost_edited_by_kind_check
    check (edited_by_kind in ('member', 'app', 'shop_key', 'operator', 'service')),
  add column edited_by_id text;
