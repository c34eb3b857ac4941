-- Whether the account is known to belong to the owner of its address. Otherwise no other shop may add it.
-- Accounts from before are not: the inviter may have seen the link with which they were created.
alter table account add column is_email_proved boolean not null default false;
-- True if only the mail of the invitation contains its link.
alter table invitation add column proves_address boolean not null default false;
-- Except those that the operator added, and that no shown link has opened. In two steps, because Citus does not join the two tables.
do $$
declare added uuid[] := array(select subject_id::uuid from audit_event
                               where action = 'member.added' and actor_kind = 'operator'
                               except select subject_id::uuid from audit_event
                               where action in ('account.reset_link_shown', 'member.joined'));
begin
  update account set is_email_proved = true where account_id = any(added);
end $$;
