-- How fast a webhook's receiver gave its last response. It replaces `slow_until`, which older processes still use:
-- a receiver that hung was fast again after ten minutes, without a response. The column is added without rewriting the table.
alter table webhook
  add column speed text not null default 'unknown'
    constraint webhook_speed_check check (speed in ('unknown', 'fast', 'slow'));
