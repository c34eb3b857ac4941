import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { ConsoleRoute } from '../src/console/routes.ts';
import { signInAs, openPerson, type Person, PHONE_WIDTH } from './browser-person.ts';
import { type ActionScene, openActionScene } from './action-scene.ts';
import { openChromium, withChromium } from './chromium.ts';
import { patternOf } from './console-crawl.ts';
import { openTestDatabase } from './test-database.ts';

/**
 * The console's areas, each with its own test file. An area consists of the pages whose path, after
 * the shop's path or `/console`, begins with one of these segments.
 */
export const AREAS = {
  stock: ['boosts', 'stock', 'places'],
  apps: ['apps', 'connections'],
  people: ['members', 'settings', 'account', 'sign-out'],
} as const;

/**
 * Passkeys need a host name, but these tests use an IP address. The actions are tested with an
 * authenticator in `sign-in/passkey-in-browser.test.ts`.
 */
const TESTED_ELSEWHERE = ['/console/account/passkeys', '/console/account/passkeys/options'];

/** The actions of one area. */
export interface AreaActions {
  /**
   * The language in which each form is sent. One language is enough, because `crawl.test.ts` checks
   * all forms in both languages.
   */
  readonly locale: 'en-GB' | 'ja-JP';
  readonly colorScheme: 'light' | 'dark';
  /** The actions of the shop's owner, in order. Together they use every form of the area. */
  readonly asOwner: readonly (readonly [name: string, act: (person: Person) => Promise<void>])[];
  /** One action in a browser that runs no scripts. */
  readonly withoutScripts: readonly [name: string, act: (person: Person) => Promise<void>];
}

/** Tests all actions of an area in Chromium. */
export function testActions(area: keyof typeof AREAS, acts: AreaActions): void {
  const parts: readonly string[] = AREAS[area];
  const { locale, colorScheme } = acts;
  const view = { locale, colorScheme, width: PHONE_WIDTH };
  const language = locale === 'ja-JP' ? 'ja' : 'en';
  const scriptErrors: string[] = [];
  const coveredActions = new Set(TESTED_ELSEWHERE);
  const opened = new AsyncDisposableStack();
  let scene: ActionScene;
  let person: Person;
  before(async () => {
    scene = opened.use(await openActionScene(opened.use(await openTestDatabase())));
    const { context } = opened.use(await openChromium(view));
    context.on('weberror', (error) => scriptErrors.push(error.error().message));
    context.on('request', (request) => {
      if (request.method() !== 'POST') return;
      const { pathname } = new URL(request.url());
      const pattern = patternOf(pathname, 'POST', scene.service.consoleRoutes);
      if (pattern !== null) coveredActions.add(pattern);
    });
    person = await openPerson(context, { scene, language, hasScripts: true });
    await signInAs(person, scene.shop.member.account.id);
  });
  after(async () => await opened.disposeAsync());

  for (const [name, act] of acts.asOwner) {
    it(`as owner: ${name}`, async () => await act(person));
  }

  it('every action is covered, and no script has failed', () => {
    const actions = scene.service.consoleRoutes.filter(
      ({ method, isPublic }) => method === 'POST' && !isPublic,
    );
    const areas: readonly string[] = Object.values(AREAS).flat();
    const missing = actions.filter(
      (route) =>
        !areas.includes(partOf(route)) ||
        (parts.includes(partOf(route)) && !coveredActions.has(route.path)),
    );
    assert.deepEqual(
      missing.map(({ path }) => path),
      [],
    );
    assert.deepEqual(scriptErrors, []);
  });

  const [name, act] = acts.withoutScripts;
  it(`without scripts: ${name}`, async () => {
    await withChromium({ ...view, hasScripts: false }, async (context) => {
      const plain = await openPerson(context, { scene, language, hasScripts: false });
      await signInAs(plain, scene.shop.member.account.id);
      await act(plain);
    });
  });
}

function partOf({ path }: ConsoleRoute): string {
  return path.replace(/^\/console(?:\/shops\/:slug)?\//, '').split('/')[0] ?? '';
}
