-- When the operator closed a shop; null while it is open. Added without rewriting the table.
alter table shop add column closed_at timestamptz;

-- When the newest backup that `cardport backup` has completed began: that is the age of what it contains.
create table backup (taken_at timestamptz primary key);
