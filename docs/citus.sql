-- Spreads the tables of Cardport over the nodes of a Citus cluster, by `shop_id`. docs/scaling.md says what it is worth and
-- which statements of Cardport Citus refuses: read it first. Tried: that this file names every table of the schema once, and
-- that keys, indexes and foreign keys allow what it says, in this order. Not tried on a Citus server.
--
-- Before: `create extension citus`, the coordinator in its own metadata (`citus_set_coordinator_host`), the workers added
-- (`citus_add_node`), and `cardport migrate`. Run it once, as one transaction, while no process of Cardport runs.

-- Reference tables: the whole of each on every node. What is shared by all shops, and what shops' rows refer to. The shops
-- themselves are one because their slugs are unique among all of them.
select create_reference_table('shop');
select create_reference_table('account');
select create_reference_table('game');
select create_reference_table('card');
select create_reference_table('product');
select create_reference_table('third_party_grade');
select create_reference_table('restore');
select create_reference_table('backup');

-- Distributed tables: the rows of a shop together on one node. Whatever a foreign key leads to comes before it.
select create_distributed_table('feed_head', 'shop_id', colocate_with => 'none');
select create_distributed_table('member', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('invitation', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('invitation_pace', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('shop_key', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('shop_grade', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('app', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('app_secret', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('approval', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('connection', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('site', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('location', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('unit', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('stock_count', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('stock_movement', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('unit_status_change', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('boost', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('boost_purchase', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('webhook', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('webhook_attempt', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('feed_read', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('notice_hour', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('lag_sample', 'shop_id', colocate_with => 'feed_head');
select create_distributed_table('audit_event', 'shop_id', colocate_with => 'feed_head');

-- Local tables stay on the coordinator, as they are: nothing is run for them. Lines `-- local: table` are read by the test.
-- Of no shop: sign-in, and what the authorization server keeps, found by the hash of a secret.
-- local: session
-- local: passkey
-- local: passkey_challenge
-- local: sign_in_attempt
-- local: sign_in_budget
-- local: sign_in_record
-- local: sign_in_burst
-- local: signing_key
-- local: oauth_artifact
-- local: oauth_answer
-- local: cursor_key
-- The positions of the catalog, given out by one sequence, and the work that follows them.
-- local: catalog_change
-- local: renamed_game
-- local: catalog_restamp
-- local: schema_migration
-- How far jobs over all shops have come: one row each.
-- local: notice_roll_up
-- local: lag_sampling
-- Of shops, but a queue over all of them that is claimed with `skip locked`, which Citus allows in one shop only.
-- local: stale_photo
