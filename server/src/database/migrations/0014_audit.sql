-- Who changed what about access, and when. Ids are ordered by time, so that the key alone gives the newest first. Names are
-- copied as they were then; `actor_id` is a text because accounts and keys have uuids and apps client ids.
create table audit_event (
  shop_id uuid not null references shop,
  entry_id uuid not null,
  happened_at timestamptz not null,
  actor_kind text not null check (actor_kind in ('member', 'app', 'shop_key', 'operator', 'service')),
  actor_id text check (length(actor_id) <= 100),
  actor_name text check (length(actor_name) <= 254),
  action text not null check (length(action) between 1 and 64),
  subject_kind text not null check (length(subject_kind) between 1 and 32),
  subject_id text not null check (length(subject_id) <= 100),
  subject_name text check (length(subject_name) <= 254),
  details jsonb not null check (octet_length(details::text) <= 65536),
  primary key (shop_id, entry_id),
  check ((actor_id is null) = (actor_kind in ('operator', 'service')))
);
create index audit_event_actor on audit_event (shop_id, actor_id, entry_id) where actor_id is not null;
create index audit_event_subject on audit_event (shop_id, subject_id, entry_id);
create index audit_event_age on audit_event (happened_at);
