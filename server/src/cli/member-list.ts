import { listMembers } from '../shops/member-list.ts';
import { type Command, listResult } from './command.ts';
import { shopCommand } from './shop.ts';

export const memberList: Command = shopCommand({
  name: 'member list',
  summary: 'List the members of a shop with their permissions, active ones first.',
  options: {},
  async run(_args, { db, shop }) {
    const members = (await listMembers(db, shop.id)).map(
      ({ id, email, name, permissions, isActive }) => ({ id, email, name, permissions, isActive }),
    );
    const toLine = ({ email, name, permissions, isActive }: (typeof members)[number]): string =>
      `${email}  ${isActive ? 'active' : 'inactive'}  ${name}  ${permissions.join(', ') || 'no permissions'}`;
    return listResult('members', members, toLine, 'There are no members yet.');
  },
});
