import { withResource, type MountSection } from '../section.ts';
import { findAppByPath, findConnectionByPath, findKeyByPath } from './find-by-path.ts';
import { showApp } from './app-page.ts';
import { showApprovals } from './approvals.ts';
import { showAttempts } from './attempts.ts';
import {
  confirmEnd,
  endConnection,
  sendTestDelivery,
  showDeliveryProgress,
} from './connection-actions.ts';
import { showConnection } from './connection-page.ts';
import { showConnections } from './connections.ts';
import { mountAppEdit } from './edit.ts';
import { confirmDelete, confirmDisable, deleteApp, setEnabledAction } from './end-app.ts';
import { confirmRemoveKey, createKey, removeKey, showKeys, showKeySecret } from './keys.ts';
import { showAppList } from './list.ts';
import { showAppSecret } from './app-secret-page.ts';
import { mountAppRegistration } from './register.ts';
import { addSecret, confirmRemoveSecret, removeSecret, showSecrets } from './secrets.ts';

/**
 * Mounts the pages of apps, connections, approvals and the shop's API keys. All require
 * `integrations.manage`.
 */
export const mountApps: MountSection = (routes, deps) => {
  const needed = 'integrations.manage';
  routes.page('/apps', needed, async (context) => showAppList(deps, context));
  mountAppRegistration(routes, deps);
  mountAppEdit(routes, deps);
  routes.page('/apps/approvals', needed, async (context) => showApprovals(deps, context));

  const withApp = withResource(deps, findAppByPath);
  const app = '/apps/:clientId';
  routes.page(app, needed, withApp(showApp));
  routes.page(`${app}/secret`, needed, withApp(showAppSecret));
  routes.page(`${app}/secrets`, needed, withApp(showSecrets));
  routes.action(`${app}/secrets`, needed, withApp(addSecret));
  routes.page(`${app}/secrets/:secretId/remove`, needed, withApp(confirmRemoveSecret));
  routes.action(`${app}/secrets/:secretId/remove`, needed, withApp(removeSecret));
  routes.page(`${app}/disable`, needed, withApp(confirmDisable));
  routes.action(`${app}/disable`, needed, withApp(setEnabledAction(false)));
  routes.action(`${app}/enable`, needed, withApp(setEnabledAction(true)));
  routes.page(`${app}/delete`, needed, withApp(confirmDelete));
  routes.action(`${app}/delete`, needed, withApp(deleteApp));
  routes.page(`${app}/connections`, needed, withApp(showConnections));

  const withKey = withResource(deps, findKeyByPath);
  routes.page('/apps/keys', needed, async (context) => showKeys(deps, context));
  routes.action('/apps/keys', needed, async (context) => createKey(deps, context));
  routes.page('/apps/keys/:keyId/secret', needed, withKey(showKeySecret));
  routes.page('/apps/keys/:keyId/remove', needed, withKey(confirmRemoveKey));
  routes.action('/apps/keys/:keyId/remove', needed, withKey(removeKey));

  const withConnection = withResource(deps, findConnectionByPath);
  const connection = '/connections/:id';
  routes.page(connection, needed, withConnection(showConnection));
  routes.page(`${connection}/attempts`, needed, withConnection(showAttempts));
  routes.action(`${connection}/notice`, needed, withConnection(sendTestDelivery));
  routes.page(`${connection}/notice`, needed, withConnection(showDeliveryProgress));
  routes.page(`${connection}/end`, needed, withConnection(confirmEnd));
  routes.action(`${connection}/end`, needed, withConnection(endConnection));
};
