-- What the authorization server stores names its shop, so that each statement is about the rows of one shop (decision 0130).
alter table oauth_artifact add column shop_id uuid;
alter table oauth_answer add column shop_id uuid;

-- A statement of one shop must prefer this index to the keys that begin with shop_id, also before the table is analyzed. Older
-- processes look up grant_hash alone.
create index approval_grant_of_shop on approval (grant_hash, shop_id);
drop index approval_grant;

-- For rows that an older process writes. Each artifact names its app. Citus has no triggers on distributed tables and starts
-- with this schema, so no older process runs on it: the triggers are not made there.
create function set_shop_of_artifact() returns trigger language plpgsql as $$
begin
  new.shop_id := (
    select shop_id from app
     where client_id = coalesce(new.payload->>'clientId', new.payload->'params'->>'client_id'));
  return new;
end $$;

create function set_shop_of_answer() returns trigger language plpgsql as $$
begin
  new.shop_id := (select shop_id from approval where grant_hash = new.grant_hash);
  return new;
end $$;

do $$
begin
  if exists (select from pg_extension where extname = 'citus') then return; end if;
  create trigger oauth_artifact_shop before insert on oauth_artifact
    for each row when (new.shop_id is null) execute function set_shop_of_artifact();
  create trigger oauth_answer_shop before insert on oauth_answer
    for each row when (new.shop_id is null) execute function set_shop_of_answer();
end $$;
