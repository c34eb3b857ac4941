-- The database on which `serve` last ran (decision 0238). After a restore, the row differs from what the server says.
create table database_identity (
  is_only boolean primary key default true check (is_only),
  identity text not null,
  timeline text,
  -- When the identity was first written, or last confirmed.
  decided_at timestamptz not null,
  -- Since when it is known that changes were lost; null once the operator has decided.
  loss_found_at timestamptz
);

-- Null if this role may not run the query, or the server has no such function: managed databases differ.
create function read_if_allowed(query text) returns text language plpgsql as $$
declare
  value text;
begin
  execute query into value;
  return value;
exception when insufficient_privilege or undefined_function or feature_not_supported then
  return null;
end $$;
