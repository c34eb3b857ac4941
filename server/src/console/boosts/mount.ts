import { EDIT_BOOSTS_PERMISSIONS, type MountSection } from '../section.ts';
import { confirmEnd, changeBoostState, raiseQuantity } from './actions.ts';
import { showBoostPage } from './boost-page.ts';
import { createBoost, saveBoostEdit, showBoostEdit, showNewBoost } from './edit.ts';
import { showBoostList } from './list.ts';

/**
 * Mounts the pages of buy boosts. `purchases.read` allows viewing boosts, `purchases.write`
 * changing them.
 */
export const mountBoosts: MountSection = (routes, deps) => {
  routes.page('/boosts', 'purchases.read', async (context) => await showBoostList(context, deps));
  routes.page(
    '/boosts/new',
    EDIT_BOOSTS_PERMISSIONS,
    async (context) => await showNewBoost(context, deps),
  );
  routes.action(
    '/boosts/new',
    EDIT_BOOSTS_PERMISSIONS,
    async (context) => await createBoost(context, deps),
  );
  routes.page(
    '/boosts/:id',
    'purchases.read',
    async (context) => await showBoostPage(context, deps),
  );
  routes.page(
    '/boosts/:id/edit',
    EDIT_BOOSTS_PERMISSIONS,
    async (context) => await showBoostEdit(context, deps),
  );
  routes.action(
    '/boosts/:id/edit',
    EDIT_BOOSTS_PERMISSIONS,
    async (context) => await saveBoostEdit(context, deps),
  );
  routes.page(
    '/boosts/:id/end',
    EDIT_BOOSTS_PERMISSIONS,
    async (context) => await confirmEnd(context, deps),
  );
  routes.action(
    '/boosts/:id/raise',
    EDIT_BOOSTS_PERMISSIONS,
    async (context) => await raiseQuantity(context, deps),
  );
  for (const name of ['pause', 'resume', 'end'] as const) {
    routes.action(
      `/boosts/:id/${name}`,
      EDIT_BOOSTS_PERMISSIONS,
      async (context) => await changeBoostState(context, deps, name),
    );
  }
};
