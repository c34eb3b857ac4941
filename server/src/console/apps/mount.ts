import type { MountSection } from '../section.ts';
import { mountAppPage } from './app-page.ts';
import { mountApprovals } from './approvals.ts';
import { mountAttempts } from './attempts.ts';
import { mountConnectionPage } from './connection-page.ts';
import { mountConnections } from './connections.ts';
import { mountDelete } from './delete.ts';
import { mountEdit } from './edit.ts';
import { mountEndConnection } from './end-connection.ts';
import { mountKeys } from './keys.ts';
import { mountList } from './list.ts';
import { mountNotice } from './notice.ts';
import { mountOncePage } from './once-page.ts';
import { mountRegister } from './register.ts';
import { mountSecrets } from './secrets.ts';
import { mountSwitch } from './switch.ts';

/** Mounts apps, their connections and approvals, and the shop's API keys; all of it needs `integrations.manage`. */
export const mountApps: MountSection = (routes, deps) => {
  mountList(routes, deps);
  mountRegister(routes, deps);
  mountOncePage(routes, deps);
  mountAppPage(routes, deps);
  mountEdit(routes, deps);
  mountSecrets(routes, deps);
  mountSwitch(routes, deps);
  mountDelete(routes, deps);
  mountConnections(routes, deps);
  mountApprovals(routes, deps);
  mountKeys(routes, deps);
  mountConnectionPage(routes, deps);
  mountNotice(routes, deps);
  mountAttempts(routes, deps);
  mountEndConnection(routes, deps);
};
