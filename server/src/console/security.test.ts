import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { addressOf, objectKindsOf, ownAddressOf } from '../../test/console-paths.ts';
import { digestDatabase } from '../../test/database-digest.ts';
import { type HostileShop, seedHostileCatalog, seedHostileShop } from '../../test/hostile-shop.ts';
import { makePlainImage } from '../../test/images.ts';
import { formTo, PlainBrowser, SIGN_IN } from '../../test/plain-browser.ts';
import { type PostOptions, type BrowserResponse, RawBrowser } from '../../test/raw-browser.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { newId, newSecret } from '../base/secrets.ts';
import { OPERATOR } from '../shops/audit.ts';
import { setMember } from '../shops/member.ts';
import { PERMISSIONS, type Permission } from '../shops/permission.ts';
import { startSession } from '../shops/session.ts';
import type { ConsoleRoute } from './routes.ts';
import type { RequiredPermission } from './section.ts';

/**
 * Files that register routes with Fastify directly. These routes must be in the list of routes too.
 */
const MOUNTING = [
  'invitations/mount.ts',
  'parts/file-form.ts',
  'reset/mount.ts',
  'routes.ts',
  'setup/mount.ts',
  'stock/photo-route.ts',
];

/** The status of each public route, in order, for a browser that has opened no link. */
const STATUS_WITHOUT_LINK: Readonly<Record<string, number>> = {
  'GET /console/invitations/:token': 303,
  'GET /console/invitations': 404,
  'POST /console/invitations/accept': 404,
  'POST /console/invitations/sign-out': 404,
  'GET /console/reset': 200,
  'POST /console/reset': 403,
  'GET /console/reset/:token': 303,
  'GET /console/reset/password': 404,
  'POST /console/reset/password': 404,
  'GET /console/setup': 404,
  'POST /console/setup': 404,
};

/** A word, markup, a NUL byte, a number and a path. */
const MALFORMED_IDS = ['x', `'"><xss7>`, '\0', '1', '../boosts'].map((text) =>
  encodeURIComponent(text),
);

describe('the security of the console', () => {
  let base: TestDatabase;
  let service: TestService;
  let mine: HostileShop;
  let theirs: HostileShop;
  let owner: RawBrowser;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    const catalog = await seedHostileCatalog(base.db);
    mine = await seedHostileShop(base.db, 'mine', catalog);
    theirs = await seedHostileShop(base.db, 'theirs', catalog);
    owner = await RawBrowser.open(service, base.db, mine.ownerId);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  const own = (route: ConsoleRoute): string => ownAddressOf(route, mine.shop.slug, mine.ids);
  const ofShop = (): readonly ConsoleRoute[] =>
    service.consoleRoutes.filter(({ isShopRoute }) => isShopRoute);
  const closed = (): readonly ConsoleRoute[] =>
    service.consoleRoutes.filter(({ isPublic }) => !isPublic);

  /** Runs `work` and asserts that it changed no row of any table. */
  async function changingNothing(work: () => Promise<void>): Promise<void> {
    const before = await digestDatabase(base.db);
    await work();
    assert.deepEqual(await digestDatabase(base.db), before);
  }

  it('every route redirects visitors without a session to the sign-in page, and changes nothing', async () => {
    const nobody = new RawBrowser(service.publicUrl, [['cardport_session', newSecret('cpw')]]);
    assert.ok(closed().length > 60);
    await changingNothing(async () => {
      for (const route of closed()) {
        const answer = await send(nobody, route, own(route));
        assert.equal(answer.status, 303, named(route));
        const location = answer.headers.get('location') ?? '';
        assert.match(location, route.method === 'GET' ? /^\/signin\?next=/ : /^\/signin\?ended=1$/);
        assert.equal(answer.text, '', named(route));
      }
    });
  });

  it('public pages show and change nothing without a valid link', async () => {
    const open = service.consoleRoutes.filter(({ isPublic }) => isPublic);
    assert.deepEqual(
      open.map((route) => [named(route), STATUS_WITHOUT_LINK[named(route)]]),
      Object.entries(STATUS_WITHOUT_LINK),
    );
    await changingNothing(async () => {
      const links = [
        ['cardport_invitation', newSecret('cpi')],
        ['cardport_reset', newSecret('cpp')],
      ] as const;
      for (const cookies of [[], links]) {
        for (const browser of [new RawBrowser(service.publicUrl, cookies), owner]) {
          for (const route of open) {
            const answer = await send(browser, route, own(route));
            assert.equal(answer.status, STATUS_WITHOUT_LINK[named(route)], named(route));
            if (answer.status === 303) {
              const page = route.path.replace('/:token', '').replace('/reset', '/reset/password');
              assert.equal(answer.headers.get('location'), page);
            }
            assert.equal(answer.text.includes(mine.shop.name), false, named(route));
          }
        }
      }
    });
  });

  it('members of other shops and deactivated members get the same response as for an unknown shop', async () => {
    const stranger = await RawBrowser.open(service, base.db, theirs.ownerId);
    await setOther({ permissions: PERMISSIONS, isActive: false });
    // Deactivation ends a person's sessions, so sign the person in again afterwards.
    const gone = await RawBrowser.open(service, base.db, mine.otherId);
    const none = await stranger.get('/console/shops/no-such-shop');
    assert.equal(none.status, 404);
    await changingNothing(async () => {
      for (const route of ofShop()) {
        for (const browser of [stranger, gone]) {
          const answer = await send(browser, route, own(route));
          assert.deepEqual([answer.status, answer.text], [404, none.text], named(route));
        }
      }
    });
    await setOther({ permissions: [], isActive: true });
  });

  it('every foreign, unknown or malformed id gets the same 404', async () => {
    const { slug } = mine.shop;
    const told: string[] = [];
    await changingNothing(async () => {
      for (const route of closed()) {
        const kinds = objectKindsOf(route);
        if (kinds.length === 0) continue;
        const unknown = await send(owner, route, addressOf(route, slug, kinds.map(newId)));
        if (unknown.status !== 404) told.push(`${unknown.status} ${named(route)}`);
        for (const ids of wrongIds(route)) {
          const path = addressOf(route, slug, ids);
          const { status, text } = await send(owner, route, path);
          if (status !== 404) told.push(`${status} ${route.method} ${path}`);
          else if (text !== unknown.text) told.push(`another 404: ${route.method} ${path}`);
        }
      }
    });
    assert.deepEqual(told, []);
  });

  /** Returns ids that an attacker might try instead of the ids of this shop. */
  function wrongIds(route: ConsoleRoute): readonly (readonly string[])[] {
    const kinds = objectKindsOf(route);
    const right = kinds.map((kind) => mine.ids[kind]);
    const others = kinds.map((kind) => theirs.ids[kind]);
    const oneEach = kinds.flatMap((_, at) => {
      const instead = (text: string): readonly string[] => right.with(at, text);
      const theirId = others[at] ?? '';
      const malformed = route.method === 'GET' ? MALFORMED_IDS : MALFORMED_IDS.slice(0, 1);
      const otherKind = kinds[at] === 'boost' ? mine.ids.unit : mine.ids.boost;
      return [theirId, newId(), otherKind, ...malformed].map(instead);
    });
    return [others, ...oneEach];
  }

  it('every page and action answers 403 without its permission, and names the permission', async () => {
    const member = await RawBrowser.open(service, base.db, mine.otherId);
    const needs = new Set(ofShop().map(({ needed }) => JSON.stringify(needed)));
    assert.ok(needs.size > 5);
    for (const need of needs) {
      const routes = ofShop().filter(({ needed }) => JSON.stringify(needed) === need);
      for (const names of permissionsToWithhold(routes[0]?.needed ?? null)) {
        await setOther({ permissions: PERMISSIONS.filter((each) => !names.includes(each)) });
        await changingNothing(async () => {
          for (const route of routes) {
            const answer = await send(member, route, own(route));
            assert.equal(answer.status, 403, named(route));
            const isNamed = names.every((name) => answer.text.includes(`<code>${name}</code>`));
            assert.ok(isNamed, named(route));
          }
        });
      }
    }
  });

  it('every action rejects forged forms, and changes nothing (CSRF)', async () => {
    const other = await RawBrowser.open(service, base.db, mine.ownerId);
    const forgeries: readonly (readonly [string, PostOptions])[] = [
      ['no token', { token: null }],
      ['an empty token', { token: '' }],
      ['the token of another session', { token: other.token }],
      ['another origin', { headers: { origin: 'https://evil.example' } }],
      ['a hidden origin', { headers: { origin: 'null' } }],
      ['another port', { headers: { origin: `${service.publicUrl}0` } }],
      ['another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
      ['a sibling host', { headers: { 'sec-fetch-site': 'same-site' } }],
    ];
    const file = { name: 'photo.png', bytes: await makePlainImage(8, 8, 'png') };
    const actions = closed().filter(({ method }) => method === 'POST');
    assert.ok(actions.length > 30);
    await changingNothing(async () => {
      for (const route of actions) {
        for (const [name, how] of forgeries) {
          // The upload routes accept multipart forms only, so send a file there.
          const isUpload = /\/(?:photos\/:side|stock\/import)$/.test(route.path);
          const sent = isUpload ? { ...how, file } : how;
          const answer = await owner.post(own(route), {}, sent);
          assert.equal(answer.status, 403, `${name}: ${named(route)}`);
        }
      }
    });
  });

  it('routes are registered only in files that add them to the list of routes', () => {
    const folder = new URL('./', import.meta.url);
    const direct = /\b\w+\.(?:post|put|patch|route)[<(]/;
    const mounting = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .filter((name) => direct.test(readFileSync(new URL(name, folder), 'utf8')));
    assert.deepEqual(mounting.toSorted(), MOUNTING);
  });

  it('a member’s form is rejected with the token of the sign-in form', async () => {
    const browser = new PlainBrowser(service.publicUrl);
    const page = await browser.visit(`${service.publicUrl}/signin`);
    const token = formTo(page, SIGN_IN).fields['form_token'] ?? '';
    const secret = owner.cookies.get('cardport_session') ?? '';
    const form = browser.cookies.map(({ name, value }) => [name, value] as const);
    const victim = new RawBrowser(service.publicUrl, [...form, ['cardport_session', secret]]);
    assert.equal((await victim.get('/console/account')).status, 200);
    const answer = await victim.post('/console/account/language', { language: 'ja' }, { token });
    assert.equal(answer.status, 403);
  });

  it('each sign-in creates a new session, so that an attacker’s planted session gains no access', async () => {
    const person = await seedShop(base);
    const attacker = await startSession(base.db, mine.otherId, new Date());
    for (const planted of [attacker.secret, newSecret('cpw'), 'x']) {
      const browser = new PlainBrowser(service.publicUrl);
      const page = await browser.visit(`${service.publicUrl}/signin`);
      browser.cookies.push({ name: 'cardport_session', value: planted, path: '/' });
      const form = formTo(page, SIGN_IN);
      await browser.submit(page, form, { email: person.email, password: person.password });
      const made = browser.cookies.filter(({ name }) => name === 'cardport_session');
      assert.equal(made.length, 1);
      assert.notEqual(made[0]?.value, planted);
      const raw = new RawBrowser(service.publicUrl, [['cardport_session', planted]]);
      const { text } = await raw.get('/console/account');
      assert.equal(text.includes(person.email), false);
    }
  });

  async function setOther(change: Parameters<typeof setMember>[3]): Promise<void> {
    await base.db.transaction(async (tx) => {
      await setMember(tx, mine.shop.id, mine.otherId, change, new Date(), OPERATOR);
    });
  }
});

async function send(
  browser: RawBrowser,
  route: ConsoleRoute,
  path: string,
): Promise<BrowserResponse> {
  return route.method === 'GET' ? await browser.get(path) : await browser.post(path);
}

function named({ method, path }: ConsoleRoute): string {
  return `${method} ${path}`;
}

/** Returns sets of permissions. A member without any permission of one set must be refused. */
function permissionsToWithhold(needed: RequiredPermission): readonly (readonly Permission[])[] {
  if (needed === null) return [];
  if (typeof needed === 'string') return [[needed]];
  return 'all' in needed ? needed.all.map((permission) => [permission]) : [needed];
}
