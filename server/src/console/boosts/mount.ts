import { CHANGES_BOOSTS, type MountSection } from '../section.ts';
import { confirmEnd, moveOf, raise } from './actions.ts';
import { showBoostPage } from './boost-page.ts';
import { createBoost, saveEdit, showEdit, showNew } from './edit.ts';
import { showList } from './list.ts';

/** Mounts the pages of buy boosts. `purchases.read` shows them, `purchases.write` changes them. */
export const mountBoosts: MountSection = (routes, deps) => {
  routes.page('/boosts', 'purchases.read', async (visit) => await showList(visit, deps));
  routes.page('/boosts/new', CHANGES_BOOSTS, async (visit) => await showNew(visit, deps));
  routes.action('/boosts/new', CHANGES_BOOSTS, async (visit) => await createBoost(visit, deps));
  routes.page('/boosts/:id', 'purchases.read', async (visit) => await showBoostPage(visit, deps));
  routes.page('/boosts/:id/edit', CHANGES_BOOSTS, async (visit) => await showEdit(visit, deps));
  routes.action('/boosts/:id/edit', CHANGES_BOOSTS, async (visit) => await saveEdit(visit, deps));
  routes.page('/boosts/:id/end', CHANGES_BOOSTS, async (visit) => await confirmEnd(visit, deps));
  routes.action('/boosts/:id/raise', CHANGES_BOOSTS, async (visit) => await raise(visit, deps));
  for (const name of ['pause', 'resume', 'end'] as const) {
    routes.action(
      `/boosts/:id/${name}`,
      CHANGES_BOOSTS,
      async (visit) => await moveOf(visit, deps, name),
    );
  }
};
