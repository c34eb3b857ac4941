-- The language of a person's pages and mails; null: what the browser asks for.
alter table account add column language text constraint account_language_check check (language in ('en', 'ja'));

-- What tells a person's sessions apart. `session_id` is no secret: it names a session in a list. The defaults are for the
-- sessions that are open now, and for nodes of the version before.
alter table session
  add column session_id uuid not null default gen_random_uuid(),
  add column browser text not null default '' check (length(browser) <= 200),
  add column network text not null default 'unknown' check (length(network) <= 64),
  add column way text not null default 'password' check (way in ('password', 'passkey'));

-- An invitation that waits: one for each shop and address. The mail holds the secret; only its SHA-256 is here. Without
-- `invited_by` it is the operator's. It goes when it is accepted, withdrawn, or its inviter may no longer invite.
create table invitation (
  shop_id uuid not null references shop,
  invitation_id uuid not null,
  email text not null check (length(email) between 3 and 254),
  permissions text[] not null check (permissions <@ array[
    'purchases.read', 'purchases.write', 'inventory.read', 'inventory.write', 'inventory.cost',
    'integrations.manage', 'members.manage']),
  language text not null check (language in ('en', 'ja')),
  secret_hash text not null,
  invited_by uuid references account,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (shop_id, invitation_id)
);
create unique index invitation_address on invitation (shop_id, email);
create index invitation_secret on invitation (secret_hash);
create index invitation_expiry on invitation (expires_at);

-- How many invitations a shop has sent in the hour that began with the first of them. Its row is also the lock under which
-- a shop's invitations are counted.
create table invitation_pace (
  shop_id uuid primary key references shop,
  hour_started_at timestamptz not null,
  mail_count int not null
);

-- A passkey (WebAuthn): the public half of a key that an authenticator keeps for one account.
create table passkey (
  account_id uuid not null references account,
  passkey_id uuid not null,
  credential_id text not null check (length(credential_id) between 1 and 1400),
  public_key bytea not null check (octet_length(public_key) <= 2048),
  sign_count bigint not null check (sign_count >= 0),
  transports text[] not null,
  is_synced boolean not null,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (account_id, passkey_id)
);
create unique index passkey_credential on passkey (credential_id);

-- A challenge that was given out and may be answered once. Without an account it is for signing in.
create table passkey_challenge (
  challenge_hash text primary key,
  account_id uuid references account,
  expires_at timestamptz not null
);
create index passkey_challenge_expiry on passkey_challenge (expires_at);
create index passkey_challenge_account on passkey_challenge (account_id, expires_at) where account_id is not null;
