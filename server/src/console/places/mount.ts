import { isUuid } from '../../base/field.ts';
import { type ConsoleAnswer, NOT_FOUND } from '../answer.ts';
import { CHANGES_STOCK, type MountSection } from '../section.ts';
import type { Visit } from '../visit.ts';
import { type LocationAddress, locationFormPage, saveLocation } from './save-location.ts';
import { saveSite, siteFormPage } from './save-site.ts';
import { siteListPage } from './site-list.ts';
import { sitePage } from './site-page.ts';

export const mountPlaces: MountSection = (routes, deps) => {
  const see = 'inventory.read';
  routes.page('/places', see, async (visit) => siteListPage(deps, visit));
  routes.page('/places/new', CHANGES_STOCK, async (visit) => siteFormPage(deps, visit, null));
  routes.action('/places/new', CHANGES_STOCK, async (visit) => saveSite(deps, visit, null));
  routes.page(
    '/places/:id',
    see,
    ofSite(async (visit, id) => sitePage(deps, visit, id)),
  );
  routes.page(
    '/places/:id/edit',
    CHANGES_STOCK,
    ofSite(async (visit, id) => siteFormPage(deps, visit, id)),
  );
  routes.action(
    '/places/:id/edit',
    CHANGES_STOCK,
    ofSite(async (visit, id) => saveSite(deps, visit, id)),
  );
  for (const path of ['/places/:id/locations/new', '/places/:id/locations/:locationId']) {
    routes.page(
      path,
      CHANGES_STOCK,
      ofLocation(async (visit, address) => locationFormPage(deps, visit, address)),
    );
    routes.action(
      path,
      CHANGES_STOCK,
      ofLocation(async (visit, address) => saveLocation(deps, visit, address)),
    );
  }
};

type Handler = (visit: Visit) => Promise<ConsoleAnswer>;

/** A handler for one site; a malformed id is not found. */
function ofSite(handle: (visit: Visit, siteId: string) => Promise<ConsoleAnswer>): Handler {
  return async (visit) => {
    const { id } = visit.params;
    return isUuid(id) ? await handle(visit, id.toLowerCase()) : NOT_FOUND;
  };
}

/** A handler for one location, or for a new one where the path names none. */
function ofLocation(
  handle: (visit: Visit, address: LocationAddress) => Promise<ConsoleAnswer>,
): Handler {
  return ofSite(async (visit, siteId) => {
    const { locationId } = visit.params;
    if (locationId === undefined) return await handle(visit, { siteId, locationId: null });
    if (!isUuid(locationId)) return NOT_FOUND;
    return await handle(visit, { siteId, locationId: locationId.toLowerCase() });
  });
}
