-- Two states of a webhook get columns of their own. Both columns are added without rewriting the table.
-- `is_early`: `early_at` is what brought the attempt under way forward; a new wish takes its place and clears this.
-- `paced_until`: no attempt begins before it, by the database's clock: 1 s after the attempt before.
alter table webhook
  add column is_early boolean not null default false,
  add column paced_until timestamptz;
