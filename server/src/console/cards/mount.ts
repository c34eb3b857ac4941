import type { Permission } from '../../shops/permission.ts';
import { fragment } from '../answer.ts';
import type { PickKind } from '../parts/pick.ts';
import { renderHits } from '../parts/picker.ts';
import type { MountSection } from '../section.ts';

/** Catalog searches are open to members who see or write data that refers to the catalog. */
const NEEDED: readonly Permission[] = [
  'inventory.read',
  'inventory.write',
  'purchases.read',
  'purchases.write',
];

const SOURCES: readonly (readonly [path: string, kind: PickKind])[] = [
  ['/cards', 'card'],
  ['/products', 'product'],
];

/** Mounts `GET /cards?q=` and `GET /products?q=`: hits for the picker scripts. */
export const mountCards: MountSection = (routes, { picks }) => {
  for (const [path, kind] of SOURCES) {
    routes.page(path, NEEDED, async (visit) => {
      const search = await picks.search(kind, visit, visit.query['q'] ?? '');
      return fragment(renderHits(kind, search, visit.language));
    });
  }
};
