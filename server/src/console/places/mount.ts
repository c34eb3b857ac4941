import { isUuid } from '../../base/field.ts';
import { type ConsoleResponse, NOT_FOUND } from '../response.ts';
import { EDIT_STOCK_PERMISSIONS, type MountSection } from '../section.ts';
import type { RequestContext } from '../request-context.ts';
import { type LocationAddress, locationFormPage, saveLocation } from './save-location.ts';
import { saveSite, siteFormPage } from './save-site.ts';
import { siteListPage } from './site-list.ts';
import { sitePage } from './site-page.ts';

export const mountPlaces: MountSection = (routes, deps) => {
  const readPermission = 'inventory.read';
  routes.page('/places', readPermission, async (context) => siteListPage(deps, context));
  routes.page('/places/new', EDIT_STOCK_PERMISSIONS, async (context) =>
    siteFormPage(deps, context, null),
  );
  routes.action('/places/new', EDIT_STOCK_PERMISSIONS, async (context) =>
    saveSite(deps, context, null),
  );
  routes.page(
    '/places/:id',
    readPermission,
    withSite(async (context, id) => sitePage(deps, context, id)),
  );
  routes.page(
    '/places/:id/edit',
    EDIT_STOCK_PERMISSIONS,
    withSite(async (context, id) => siteFormPage(deps, context, id)),
  );
  routes.action(
    '/places/:id/edit',
    EDIT_STOCK_PERMISSIONS,
    withSite(async (context, id) => saveSite(deps, context, id)),
  );
  for (const path of ['/places/:id/locations/new', '/places/:id/locations/:locationId']) {
    routes.page(
      path,
      EDIT_STOCK_PERMISSIONS,
      withLocation(async (context, address) => locationFormPage(deps, context, address)),
    );
    routes.action(
      path,
      EDIT_STOCK_PERMISSIONS,
      withLocation(async (context, address) => saveLocation(deps, context, address)),
    );
  }
};

type Handler = (context: RequestContext) => Promise<ConsoleResponse>;

/** Returns a handler for one site. A malformed id gets the response "not found". */
function withSite(
  handle: (context: RequestContext, siteId: string) => Promise<ConsoleResponse>,
): Handler {
  return async (context) => {
    const { id } = context.params;
    return isUuid(id) ? await handle(context, id.toLowerCase()) : NOT_FOUND;
  };
}

/** Returns a handler for one location, or for a new location if the path has no location id. */
function withLocation(
  handle: (context: RequestContext, address: LocationAddress) => Promise<ConsoleResponse>,
): Handler {
  return withSite(async (context, siteId) => {
    const { locationId } = context.params;
    if (locationId === undefined) return await handle(context, { siteId, locationId: null });
    if (!isUuid(locationId)) return NOT_FOUND;
    return await handle(context, { siteId, locationId: locationId.toLowerCase() });
  });
}
