-- Every key that ever signed a cursor, so that no change of SECRET_KEY ends a cursor. A key is derived one-way from
-- SECRET_KEY and lets its owner do nothing but make up positions.
create table cursor_key (
  key_id text primary key,
  key bytea not null,
  created_at timestamptz not null
);
