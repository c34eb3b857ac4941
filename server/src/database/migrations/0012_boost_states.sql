-- GET /boosts?status= walks one of the two in the order of the ids, whatever the other holds (decision 0070).
create index boost_ended on boost (shop_id, boost_id) where ended_at is not null;
create index boost_not_ended on boost (shop_id, boost_id) where ended_at is null;
