-- How often the answer to a refresh was given again (decision 0175): a shop sees it beside the approval.
alter table approval
  add column repeats integer not null default 0,
  add column last_repeat_at timestamptz;

-- When the database was last restored from a backup: refresh tokens of the lost time are recognised by it (decision 0215).
create table restore (restored_at timestamptz primary key);

-- The newest secret that this session has shown (decision 0200): none is shown twice.
alter table session add column secret_shown_at timestamptz;
