-- A shop's people look at what was ended last; a shop ends any number of boosts, and each only once.
create index boost_ended_at on boost (shop_id, ended_at, boost_id) where ended_at is not null;
