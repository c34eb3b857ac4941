import { mountAccount } from './account/mount.ts';
import { mountApps } from './apps/mount.ts';
import { mountAudit } from './audit/mount.ts';
import { mountBoosts } from './boosts/mount.ts';
import { mountCards } from './cards/mount.ts';
import { mountHome } from './home/mount.ts';
import { mountInvitationPages } from './invitations/mount.ts';
import { mountMembers } from './members/mount.ts';
import { mountPlaces } from './places/mount.ts';
import { mountResetPages } from './reset/mount.ts';
import { mountSettings } from './settings/mount.ts';
import { mountSetupPage } from './setup/mount.ts';
import type { MountAccountSection, MountSection } from './section.ts';
import { mountStock } from './stock/mount.ts';

/** The sections of a shop's pages, in the order in which they are mounted. */
export const SHOP_SECTIONS: readonly MountSection[] = [
  mountHome,
  mountStock,
  mountPlaces,
  mountBoosts,
  mountCards,
  mountMembers,
  mountAudit,
  mountSettings,
  mountApps,
];

/** The sections of a person's account. */
export const ACCOUNT_SECTIONS: readonly MountAccountSection[] = [
  mountAccount,
  mountInvitationPages,
  mountResetPages,
  mountSetupPage,
];
