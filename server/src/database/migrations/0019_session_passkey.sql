-- The passkey that opened a session: whoever removes it ends what it opened. Null: a password did, or a node of the version
-- before. Not a reference: the rows go in one transaction, by the account that both begin with.
alter table session add column passkey_id uuid;
