import { withResource, type MountSection } from '../section.ts';
import { confirmDeactivate, setMemberActiveAction } from './activation.ts';
import {
  findInvitationByPath,
  invite,
  resendInvitation,
  showInvite,
  withdrawInvitationAction,
} from './invite.ts';
import { showMembers } from './member-list.ts';
import { changePermissions, findMemberByPath, showMember } from './member-page.ts';
import { resetPassword } from './reset-password.ts';

/** Mounts the pages of a shop's members: the list, invitations, permissions and activity. */
export const mountMembers: MountSection = (routes, deps) => {
  const needed = 'members.manage';
  routes.page('/members', needed, async (context) => showMembers(deps, context));
  routes.page('/members/invite', needed, async (context) => showInvite(deps, context));
  routes.action('/members/invite', needed, async (context) => invite(deps, context));

  const withInvitation = withResource(deps, findInvitationByPath);
  routes.action(
    '/members/invitations/:id/withdraw',
    needed,
    withInvitation(withdrawInvitationAction),
  );
  routes.action('/members/invitations/:id/again', needed, withInvitation(resendInvitation));

  const withMember = withResource(deps, findMemberByPath);
  const member = '/members/:id';
  routes.page(member, needed, withMember(showMember));
  routes.action(`${member}/permissions`, needed, withMember(changePermissions));
  routes.action(`${member}/password-reset`, needed, withMember(resetPassword));
  routes.page(`${member}/deactivate`, needed, withMember(confirmDeactivate));
  routes.action(`${member}/deactivate`, needed, withMember(setMemberActiveAction(false)));
  routes.action(`${member}/activate`, needed, withMember(setMemberActiveAction(true)));
};
