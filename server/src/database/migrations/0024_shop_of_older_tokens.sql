-- Rows from before migration 0023. A transaction of its own: 0023 locks the tables, this only their rows.
update oauth_artifact t set shop_id = a.shop_id
  from app a
 where t.shop_id is null
   and a.client_id = coalesce(t.payload->>'clientId', t.payload->'params'->>'client_id');

update oauth_answer t set shop_id = p.shop_id
  from approval p
 where t.shop_id is null and p.grant_hash = t.grant_hash;
