-- A Shop API key is looked up by shop and hash. One index serves both, also before the table is analyzed; older processes look up
-- the hash alone.
create index shop_key_hash_of_shop on shop_key (key_hash, shop_id);
drop index shop_key_hash;
