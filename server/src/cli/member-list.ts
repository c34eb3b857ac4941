import { listMembers } from '../shops/member-list.ts';
import type { Command } from './command.ts';
import { findNamedShop, shopOption } from './shop.ts';

/** `member list` */
export const memberList: Command = {
  name: 'member list',
  summary: 'List the members of a shop with their permissions, active ones first.',
  options: { shop: shopOption },
  input: 'none',
  async run(args, context) {
    const named = await findNamedShop(args, context);
    if (named.kind === 'failed') return named;
    const members = (await listMembers(context.db, named.shop.id)).map((member) => ({
      id: member.id,
      email: member.email,
      name: member.name,
      permissions: member.permissions,
      isActive: member.isActive,
    }));
    const lines = members.map(({ email, name, permissions, isActive }) => {
      const list = permissions.join(', ') || 'no permission';
      return `${email}  ${isActive ? 'active' : 'inactive'}  ${name}  ${list}`;
    });
    return { kind: 'done', json: { members }, text: lines.join('\n') || 'There is no member yet.' };
  },
};
