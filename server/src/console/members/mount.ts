import type { MountSection } from '../section.ts';
import { mountActivity } from './activity.ts';
import { mountInvitations } from './invite.ts';
import { mountMemberList } from './member-list.ts';
import { mountMemberPage } from './member-page.ts';

/** Mounts the pages of a shop's members: the list, invitations, permissions, activity. */
export const mountMembers: MountSection = (routes, deps) => {
  mountMemberList(routes, deps);
  mountInvitations(routes, deps);
  mountMemberPage(routes, deps);
  mountActivity(routes, deps);
};
