import type { Permission } from '../../shops/permission.ts';
import { sendFragment } from '../response.ts';
import type { CatalogKind } from '../parts/catalog-lookup.ts';
import { renderHits } from '../parts/picker.ts';
import type { MountSection } from '../section.ts';

/**
 * Members need one of these permissions to search the catalog: they read or write data that refers
 * to catalog items.
 */
const SEARCH_PERMISSIONS: readonly Permission[] = [
  'inventory.read',
  'inventory.write',
  'purchases.read',
  'purchases.write',
];

const SOURCES: readonly (readonly [path: string, kind: CatalogKind])[] = [
  ['/cards', 'card'],
  ['/products', 'product'],
];

/** Mounts `GET /cards?q=` and `GET /products?q=`, which return hits to the picker scripts. */
export const mountCards: MountSection = (routes, { catalogLookup }) => {
  for (const [path, kind] of SOURCES) {
    routes.page(path, SEARCH_PERMISSIONS, async (context) => {
      const search = await catalogLookup.search(kind, context, context.query['q'] ?? '');
      return sendFragment(renderHits(kind, search, context.language));
    });
  }
};
