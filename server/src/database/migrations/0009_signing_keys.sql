-- One signing key for each SECRET_KEY, so that a change of SECRET_KEY adds a key and ends none: `slot` tells whose it
-- is, `public_key` is what an id_token is verified by (RFC 7517). 'current' is what was there before; its public part is
-- added by the first node that can open it.
alter table signing_key drop constraint signing_key_slot_check;
alter table signing_key add constraint signing_key_slot_check check (length(slot) between 1 and 64);
alter table signing_key add column public_key jsonb check (octet_length(public_key::text) <= 4096);
