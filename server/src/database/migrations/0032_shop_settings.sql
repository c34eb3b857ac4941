-- What a shop sets for itself. Without a time zone, that of its oldest active site counts; without a language, mails have both.
alter table shop
  add column timezone text constraint shop_timezone_check check (length(timezone) between 1 and 98),
  add column language text constraint shop_language_check check (language in ('en', 'ja')),
  add column contact_emails text[] not null default '{}'
    constraint shop_contact_emails_check check (cardinality(contact_emails) <= 10);
