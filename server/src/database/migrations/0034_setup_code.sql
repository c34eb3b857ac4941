-- The code with which the first shop and its owner are made on a page. Only its SHA-256 is here. It is deleted when a shop is made.
create table setup_code (
  slot text primary key check (slot = 'current'),
  secret_hash text not null,
  expires_at timestamptz not null
);
