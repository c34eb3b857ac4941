import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { actOnAccount, changePassword } from '../../test/act-account.ts';
import { actOnApps, registerApp } from '../../test/act-apps.ts';
import { actOnBoosts, makeBoost } from '../../test/act-boosts.ts';
import { actOnMembers, invite } from '../../test/act-members.ts';
import { actAsClerk, actAsStranger, sendStaleForm } from '../../test/act-outsiders.ts';
import { becomes, openPerson, type Person } from '../../test/act-person.ts';
import { actOnPlaces } from '../../test/act-places.ts';
import { type ActScene, openActScene } from '../../test/act-scene.ts';
import { actOnStock, receiveUnits, sellUnit } from '../../test/act-stock.ts';
import { CHROMIUM_PATH, openChromium, type OpenChromium } from '../../test/chromium.ts';
import { patternOf } from '../../test/console-walk.ts';
import { openTestDatabase } from '../../test/test-database.ts';

const VIEWS = [
  { locale: 'ja-JP', width: 390, colorScheme: 'light' },
  { locale: 'en-GB', width: 1_280, colorScheme: 'dark' },
] as const;
type View = (typeof VIEWS)[number];

/**
 * A passkey is made for a host name, and here pages are those of an address: `signin/passkey-in-browser.test.ts` does
 * these in a browser with an authenticator.
 */
const DONE_ELSEWHERE = ['/console/account/passkeys', '/console/account/passkeys/options'];

/** What a member does in each section, in this order: the last leaves nobody signed in. */
const SECTIONS: readonly (readonly [string, (person: Person) => Promise<void>])[] = [
  ['boosts', actOnBoosts],
  ['stock', actOnStock],
  ['places', actOnPlaces],
  ['a form of another time', sendStaleForm],
  ['members', actOnMembers],
  ['apps, connections and keys', actOnApps],
  ['account', actOnAccount],
];

if (CHROMIUM_PATH === undefined) {
  describe('actions of the console in Chromium', { skip: 'TEST_CHROMIUM is not set' }, () => {});
} else {
  const executablePath = CHROMIUM_PATH;
  describe('actions of the console in Chromium', () => {
    for (const [index, view] of VIEWS.entries()) {
      describe(`${view.locale}, ${view.width} px`, () => {
        actIn(view, index === 0);
      });
    }
  });

  function actIn(view: View, isFirst: boolean): void {
    const language = view.locale === 'ja-JP' ? 'ja' : 'en';
    const { width } = view;
    const examinedFrom = isFirst ? 0 : 1;
    const complaints: string[] = [];
    const acted = new Set(DONE_ELSEWHERE);
    const opened = new AsyncDisposableStack();
    let scene: ActScene;
    let browser: OpenChromium;
    let person: Person;
    before(async () => {
      scene = opened.use(await openActScene(opened.use(await openTestDatabase())));
      browser = opened.use(await openChromium({ executablePath, ...view }));
      const { context } = browser;
      context.on('weberror', (error) => complaints.push(error.error().message));
      context.on('request', (request) => {
        if (request.method() !== 'POST') return;
        const { pathname } = new URL(request.url());
        const pattern = patternOf(pathname, 'POST', scene.service.consoleRoutes);
        if (pattern !== null) acted.add(pattern);
      });
      const options = { scene, language, width, examinedFrom, hasScripts: true } as const;
      person = await openPerson(context, options);
      await becomes(person, scene.shop.member.account.id);
    });
    after(async () => await opened.disposeAsync());

    for (const [name, act] of SECTIONS) {
      it(`as owner: ${name}`, async () => await act(person));
    }

    it('no action is left out, and no script has failed', () => {
      const missing = scene.service.consoleRoutes
        .filter(({ method, path, isOpen }) => method === 'POST' && !isOpen && !acted.has(path))
        .map(({ path }) => path);
      assert.deepEqual(missing, []);
      assert.deepEqual(complaints, []);
    });

    // At the counter, by a phone; and by a browser without scripts at a desk.
    if (isFirst) {
      it('as clerk: does what he may, and finds no way to the rest', async () => {
        await actAsClerk(person);
      });

      it('as member of another shop: 404, and nothing is changed', async () => {
        await actAsStranger(person);
      });
    } else {
      it('without scripts: a boost, receiving, a sale, an app, an invitation, a password', async () => {
        const options = { scene, language, width, examinedFrom, hasScripts: false } as const;
        await actWithoutScripts(await openPerson(browser.context, options), scene);
      });
    }
  }
}

async function actWithoutScripts(person: Person, { shop }: ActScene): Promise<void> {
  await becomes(person, shop.member.account.id);
  await makeBoost(person, '700');
  const [id = ''] = await receiveUnits(person, { pieces: 1, cost: 900 });
  await sellUnit(person, id);
  await registerApp(person, 'スクリプトなし');
  await invite(person, `plain@${person.language}.example`);
  await changePassword(person, 'another password of words', 'a third password of words');
}
