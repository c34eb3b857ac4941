import type { Permission } from '../../shops/permission.ts';
import { fragment } from '../answer.ts';
import type { PickKind } from '../parts/pick.ts';
import { renderHits } from '../parts/picker.ts';
import type { MountSection } from '../section.ts';

/** Whoever may see or write what refers to the catalog may look it up. */
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

/** Mounts `GET /cards?q=` and `GET /products?q=`: hits for the scripts of pickers. */
export const mountCards: MountSection = (routes, { picks }) => {
  for (const [path, kind] of SOURCES) {
    routes.page(path, NEEDED, async (visit) => {
      const search = await picks.search(kind, visit, visit.query['q'] ?? '');
      return fragment(renderHits(kind, search, visit.language));
    });
  }
};
