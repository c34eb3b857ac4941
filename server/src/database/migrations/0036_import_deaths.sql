-- How many processes died while they worked on a file, and why a file was refused as a whole.
alter table stock_import add column deaths integer not null default 0, add column refusal jsonb;
