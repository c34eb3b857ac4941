import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { describe, it } from 'node:test';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import type { ConsoleRoute } from './routes.ts';
import type { RequiredPermission } from './section.ts';

/** The permissions that a section's pages and forms require. */
interface SectionPermissions {
  readonly see: RequiredPermission;
  readonly change?: RequiredPermission;
  /** The permissions of forms that also change another section, by path. */
  readonly also?: ReadonlyMap<string, RequiredPermission>;
}

const STOCK: SectionPermissions = {
  see: 'inventory.read',
  change: { all: ['inventory.read', 'inventory.write'] },
};
const APPS: SectionPermissions = { see: 'integrations.manage', change: 'integrations.manage' };

/**
 * The sections by the first path segment after `/console/shops/:slug`. The table repeats the
 * permissions on purpose, to find a route that was mounted with the permission of a different
 * section. Only a new section needs a new row.
 */
const SECTIONS = new Map<string, SectionPermissions>([
  ['', { see: null }],
  [
    'boosts',
    {
      see: 'purchases.read',
      change: { all: ['purchases.read', 'purchases.write'] },
      also: new Map([
        [
          '/console/shops/:slug/boosts/:id/buy',
          { all: ['purchases.read', 'purchases.write', 'inventory.read', 'inventory.write'] },
        ],
      ]),
    },
  ],
  ['stock', STOCK],
  ['places', STOCK],
  ['cards', { see: ['inventory.read', 'inventory.write', 'purchases.read', 'purchases.write'] }],
  ['products', { see: ['inventory.read', 'inventory.write', 'purchases.read', 'purchases.write'] }],
  ['apps', APPS],
  ['connections', APPS],
  ['members', { see: 'members.manage', change: 'members.manage' }],
  ['settings', { see: 'members.manage', change: 'members.manage' }],
  ['audit', { see: ['members.manage', 'integrations.manage'] }],
]);

/** Matches the pages of a person's account, which belong to no shop. */
const ACCOUNT_PATH = /^\/console(?:\/sign-out|\/account(?:\/.*)?)?$/;
const PUBLIC_PATH = /^\/console\/(?:invitations|reset|setup)(?:\/.*)?$/;

/** Returns a description of the error in a route's permission, or null if there is none. */
function findFault(route: ConsoleRoute): string | null {
  const { method, path, needed } = route;
  const named = `${method} ${path}`;
  if (route.isPublic) return PUBLIC_PATH.test(path) ? null : `${named} is open to everyone`;
  if (!route.isShopRoute) return ACCOUNT_PATH.test(path) ? null : `${named} checks no membership`;
  const [, , , , name = ''] = path.split('/');
  const section = SECTIONS.get(name);
  if (section === undefined) return `${named}: the section ${name} is not listed in this test`;
  // The page that shows a form may require the form's permission. A form must not require less.
  const also = section.also?.get(path);
  const usual = method === 'GET' ? [section.see, section.change] : [section.change];
  const allowed = also === undefined ? usual : [also];
  const isRight = allowed.some((each) => isSame(each, needed));
  return isRight ? null : `${named} needs ${JSON.stringify(needed)}`;
}

function isSame(one: RequiredPermission | undefined, other: RequiredPermission): boolean {
  return one !== undefined && isDeepStrictEqual(sorted(one), sorted(other));
}

/** Sorts permissions, because their order makes no difference. */
function sorted(needed: RequiredPermission): unknown {
  if (needed === null || typeof needed === 'string') return needed;
  return 'all' in needed ? { all: needed.all.toSorted() } : needed.toSorted();
}

describe('the permissions of the console', () => {
  it('every page and form requires the permissions of its section', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const { consoleRoutes } = service;
    assert.ok(consoleRoutes.length > 60);
    const faults = consoleRoutes.map(findFault).filter((fault) => fault !== null);
    assert.deepEqual(faults, []);
    const mounted = consoleRoutes.filter(({ isShopRoute }) => isShopRoute);
    const names = new Set(mounted.map(({ path }) => path.split('/')[4] ?? ''));
    assert.deepEqual([...SECTIONS.keys()].toSorted(), [...names].toSorted());
  });

  it('the check finds weaker permissions, unknown sections and missing shops', () => {
    const shop = '/console/shops/:slug';
    const route = (
      method: 'GET' | 'POST',
      path: string,
      needed: RequiredPermission,
    ): ConsoleRoute => {
      return { method, path, needed, isShopRoute: path.startsWith(shop), isPublic: false };
    };
    const changes = { all: ['purchases.write', 'purchases.read'] } as const;
    for (const [given, isFaulty] of [
      [route('GET', shop, null), false],
      [route('POST', shop, null), true],
      [route('GET', `${shop}/boosts/:id`, 'purchases.read'), false],
      [route('GET', `${shop}/boosts/:id`, null), true],
      [route('GET', `${shop}/boosts/new`, changes), false],
      [route('POST', `${shop}/boosts/new`, changes), false],
      [route('POST', `${shop}/boosts/new`, 'purchases.read'), true],
      [route('POST', `${shop}/boosts/new`, 'purchases.write'), true],
      [route('GET', `${shop}/audit`, ['integrations.manage', 'members.manage']), false],
      [route('GET', `${shop}/audit`, { all: ['integrations.manage', 'members.manage'] }), true],
      [route('GET', `${shop}/till`, 'inventory.read'), true],
      [route('GET', '/console/account/password', null), false],
      [route('GET', '/console/stock', null), true],
      [{ ...route('GET', '/console/invitations', null), isPublic: true }, false],
      [{ ...route('POST', '/console/reset/password', null), isPublic: true }, false],
      [{ ...route('GET', '/console/account', null), isPublic: true }, true],
    ] as const) {
      assert.equal(findFault(given) !== null, isFaulty, `${given.method} ${given.path}`);
    }
  });
});
