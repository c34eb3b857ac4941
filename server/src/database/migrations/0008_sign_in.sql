-- Attempts to sign in (persons and apps) within one minute, by the SHA-256 of kind, name and address.
create table sign_in_attempt (
  key_hash text primary key,
  window_started_at timestamptz not null,
  attempt_count integer not null check (attempt_count >= 0)
);
create index sign_in_attempt_window on sign_in_attempt (window_started_at);

-- The RS256 key that signs id_tokens, shared by all nodes and sealed under a key derived from SECRET_KEY.
create table signing_key (
  slot text primary key check (slot = 'current'),
  sealed bytea not null check (octet_length(sealed) <= 16384),
  created_at timestamptz not null
);
