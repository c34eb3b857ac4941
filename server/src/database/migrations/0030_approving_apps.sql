-- Approving apps is a permission. Every member could do it, so every member and every invitation that waits gets it.
alter table member drop constraint member_permissions_check;
alter table member add constraint member_permissions_check check (permissions <@ array[
  'purchases.read', 'purchases.write', 'inventory.read', 'inventory.write', 'inventory.cost',
  'integrations.approve', 'integrations.manage', 'members.manage']);
alter table invitation drop constraint invitation_permissions_check;
alter table invitation add constraint invitation_permissions_check check (permissions <@ array[
  'purchases.read', 'purchases.write', 'inventory.read', 'inventory.write', 'inventory.cost',
  'integrations.approve', 'integrations.manage', 'members.manage']);
update member set permissions = array_append(permissions, 'integrations.approve');
update invitation set permissions = array_append(permissions, 'integrations.approve');
