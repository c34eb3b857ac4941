import type { MountAccountSection } from '../section.ts';
import { mountShopChoice } from './choose-shop.ts';
import { mountPasskeys } from './passkeys.ts';
import { mountPassword } from './password.ts';
import { mountProfile } from './profile.ts';
import { mountSessions } from './sessions.ts';

export const mountAccount: MountAccountSection = (routes, deps) => {
  mountShopChoice(routes, deps);
  mountProfile(routes, deps);
  mountPassword(routes, deps);
  mountSessions(routes, deps);
  mountPasskeys(routes, deps);
};
