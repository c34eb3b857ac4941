-- One member's approval of one app. It lives until something ends it; its tokens live in oauth_artifact.
create table approval (
  shop_id uuid not null references shop,
  approval_id uuid not null,
  client_id text not null,
  account_id uuid not null references account,
  grant_hash text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('connection_ended', 'token_revoked', 'token_reused')),
  primary key (shop_id, approval_id),
  foreign key (shop_id, client_id) references app,
  foreign key (shop_id, account_id) references member,
  check ((ended_at is null) = (end_reason is null))
);
create index approval_grant on approval (grant_hash);
create index approval_app on approval (shop_id, client_id);

-- What the authorization server keeps: codes, tokens, grants, interactions. Ids are secrets, so only their SHA-256 is
-- stored. `grant_hash` is on the Grant's own row too.
create table oauth_artifact (
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_hash text,
  consumed_at timestamptz,
  expires_at timestamptz,
  primary key (model, id)
);
create index oauth_artifact_grant on oauth_artifact (grant_hash) where grant_hash is not null;
create index oauth_artifact_expiry on oauth_artifact (expires_at);

-- The sealed answer of a refresh, for its idempotent retry.
create table oauth_answer (
  request_hash bytea primary key,
  grant_hash text not null,
  successor_id text not null,
  sealed bytea not null check (octet_length(sealed) <= 16384),
  expires_at timestamptz not null
);
create index oauth_answer_grant on oauth_answer (grant_hash);
create index oauth_answer_expiry on oauth_answer (expires_at);
