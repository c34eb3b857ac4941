-- A link with which the owner of an account sets a new password, once. Only the SHA-256 of its secret is here. It was mailed to
-- the account's address, unless `shown_to` was shown it: a member of the shop `shown_in` who manages members.
create table password_reset (
  secret_hash text primary key,
  account_id uuid not null references account,
  shown_in uuid,
  shown_to uuid references account,
  expires_at timestamptz not null,
  check ((shown_in is null) = (shown_to is null))
);
create index password_reset_account on password_reset (account_id);
create index password_reset_expiry on password_reset (expires_at);
