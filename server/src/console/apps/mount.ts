import { handlersOf, type MountSection } from '../section.ts';
import { findAppOfVisit, findConnectionOfVisit, findKeyOfVisit } from './app-of-shop.ts';
import { showApp } from './app-page.ts';
import { showApprovals } from './approvals.ts';
import { showAttempts } from './attempts.ts';
import { confirmEnd, end, sendNotice, showProgress } from './connection-actions.ts';
import { showConnection } from './connection-page.ts';
import { showConnections } from './connections.ts';
import { mountEdit } from './edit.ts';
import { confirmDelete, confirmDisable, deleteApp, switchApp } from './end-app.ts';
import { confirmRemoveKey, makeKey, removeKey, showKeys, showKeySecret } from './keys.ts';
import { showList } from './list.ts';
import { showAppSecret } from './once-page.ts';
import { mountRegister } from './register.ts';
import { addSecret, confirmRemoveSecret, removeSecret, showSecrets } from './secrets.ts';

/**
 * Mounts apps, their connections and approvals, and the shop's API keys. All need
 * `integrations.manage`.
 */
export const mountApps: MountSection = (routes, deps) => {
  const needed = 'integrations.manage';
  routes.page('/apps', needed, async (visit) => showList(deps, visit));
  mountRegister(routes, deps);
  mountEdit(routes, deps);
  routes.page('/apps/approvals', needed, async (visit) => showApprovals(deps, visit));

  const ofApp = handlersOf(deps, findAppOfVisit);
  const app = '/apps/:clientId';
  routes.page(app, needed, ofApp(showApp));
  routes.page(`${app}/secret`, needed, ofApp(showAppSecret));
  routes.page(`${app}/secrets`, needed, ofApp(showSecrets));
  routes.action(`${app}/secrets`, needed, ofApp(addSecret));
  routes.page(`${app}/secrets/:secretId/remove`, needed, ofApp(confirmRemoveSecret));
  routes.action(`${app}/secrets/:secretId/remove`, needed, ofApp(removeSecret));
  routes.page(`${app}/disable`, needed, ofApp(confirmDisable));
  routes.action(`${app}/disable`, needed, ofApp(switchApp(false)));
  routes.action(`${app}/enable`, needed, ofApp(switchApp(true)));
  routes.page(`${app}/delete`, needed, ofApp(confirmDelete));
  routes.action(`${app}/delete`, needed, ofApp(deleteApp));
  routes.page(`${app}/connections`, needed, ofApp(showConnections));

  const ofKey = handlersOf(deps, findKeyOfVisit);
  routes.page('/apps/keys', needed, async (visit) => showKeys(deps, visit));
  routes.action('/apps/keys', needed, async (visit) => makeKey(deps, visit));
  routes.page('/apps/keys/:keyId/secret', needed, ofKey(showKeySecret));
  routes.page('/apps/keys/:keyId/remove', needed, ofKey(confirmRemoveKey));
  routes.action('/apps/keys/:keyId/remove', needed, ofKey(removeKey));

  const ofConnection = handlersOf(deps, findConnectionOfVisit);
  const connection = '/connections/:id';
  routes.page(connection, needed, ofConnection(showConnection));
  routes.page(`${connection}/attempts`, needed, ofConnection(showAttempts));
  routes.action(`${connection}/notice`, needed, ofConnection(sendNotice));
  routes.page(`${connection}/notice`, needed, ofConnection(showProgress));
  routes.page(`${connection}/end`, needed, ofConnection(confirmEnd));
  routes.action(`${connection}/end`, needed, ofConnection(end));
};
