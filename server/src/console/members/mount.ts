import { handlersOf, type MountSection } from '../section.ts';
import { confirmDeactivate, setActivity } from './activity.ts';
import { findInvitationOfPath, invite, inviteAgain, showInvite, withdraw } from './invite.ts';
import { showMembers } from './member-list.ts';
import { changePermissions, findMemberOfPath, showMember } from './member-page.ts';

/** Mounts the pages of a shop's members: the list, invitations, permissions, activity. */
export const mountMembers: MountSection = (routes, deps) => {
  const needed = 'members.manage';
  routes.page('/members', needed, async (visit) => showMembers(deps, visit));
  routes.page('/members/invite', needed, async (visit) => showInvite(deps, visit));
  routes.action('/members/invite', needed, async (visit) => invite(deps, visit));

  const ofInvitation = handlersOf(deps, findInvitationOfPath);
  routes.action('/members/invitations/:id/withdraw', needed, ofInvitation(withdraw));
  routes.action('/members/invitations/:id/again', needed, ofInvitation(inviteAgain));

  const ofMember = handlersOf(deps, findMemberOfPath);
  const member = '/members/:id';
  routes.page(member, needed, ofMember(showMember));
  routes.action(`${member}/permissions`, needed, ofMember(changePermissions));
  routes.page(`${member}/deactivate`, needed, ofMember(confirmDeactivate));
  routes.action(`${member}/deactivate`, needed, ofMember(setActivity(false)));
  routes.action(`${member}/activate`, needed, ofMember(setActivity(true)));
};
