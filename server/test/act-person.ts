import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { signInContext } from './console-walk.ts';
import type { Language } from '../src/pages/language.ts';
import type { ActScene } from './act-scene.ts';

/** WCAG 2.2 AA and what it contains, as axe names them. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** No page of these tests takes longer on a machine that is busy with all others of them. */
const PATIENCE_MS = 30_000;

/** What a page says, in English and in Japanese. */
export type Said = readonly [en: string, ja: string];

/** Somebody at a browser, who finds things by the words that he reads. */
export interface Person {
  readonly page: Page;
  readonly scene: ActScene;
  readonly language: Language;
  /** False: pages must do without scripts. */
  readonly hasScripts: boolean;
  /** The words in the language that the person reads. */
  say(words: Said): string;
  /** Goes to an address: of the console, or behind the shop's. The status of the answer is 200. */
  open(sub: string): Promise<void>;
  /** Follows a link of this name. */
  follow(words: Said): Promise<void>;
  /** Presses a button of this name, which sends a form, and sees the page that comes of it. */
  press(words: Said, within?: Locator): Promise<void>;
  /** Does what leads to another page, and waits until it is there. */
  leading(act: () => Promise<unknown>): Promise<void>;
  /** The control of a label. */
  field(words: Said): Locator;
  /** Waits until the page says this somewhere. */
  reads(words: Said): Promise<void>;
  /** Picks the scene's first card in a picker of this label. */
  pickCard(): Promise<void>;
  /** The status of the last page. */
  status(): number;
  /** A page that no link leads to is as good as all others: nothing is cut off, in this language, and axe finds nothing. */
  examine(status: number): Promise<void>;
}

export interface PersonOptions {
  readonly scene: ActScene;
  readonly language: Language;
  readonly width: number;
  readonly hasScripts: boolean;
  /** Axe looks at every other page that is examined, from the first (0) or the second (1) on. */
  readonly examinedFrom: 0 | 1;
}

/** A person at a page of his own in this browser; all pages of a browser are signed in as the same account. */
export async function openPerson(
  context: BrowserContext,
  { scene, language, width, hasScripts, examinedFrom }: PersonOptions,
): Promise<Person> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  if (!hasScripts) {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setScriptExecutionDisabled', { value: true });
  }
  let status = 0;
  let looks: number = examinedFrom;
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) status = response.status();
  });
  const origin = scene.service.publicUrl;
  const say = ([en, ja]: Said): string => (language === 'ja' ? ja : en);
  const leading = async (act: () => Promise<unknown>): Promise<void> => {
    const moved = page.waitForEvent('framenavigated');
    await Promise.all([moved, act()]);
    await page.waitForLoadState('load');
  };
  const press = async (words: Said, within?: Locator): Promise<void> => {
    const button = (within ?? page).getByRole('button', { name: say(words), exact: true });
    await leading(async () => await button.click());
  };
  return {
    page,
    scene,
    language,
    hasScripts,
    say,
    leading,
    press,
    open: async (sub) => {
      const path = sub.startsWith('/console')
        ? sub
        : `/console/shops/${scene.shop.shop.slug}${sub}`;
      const answer = await page.goto(`${origin}${path}`);
      assert.equal(answer?.status(), 200, path);
    },
    follow: async (words) => {
      const link = page.getByRole('link', { name: say(words), exact: true });
      await leading(async () => await link.click());
      assert.equal(status, 200, say(words));
    },
    field: (words) => page.getByLabel(say(words), { exact: true }),
    reads: async (words) => {
      await page.getByText(say(words)).first().waitFor({ state: 'visible' });
    },
    pickCard: async () => {
      const name = say(['Card', 'カード']);
      if (hasScripts) {
        const field = page.getByRole('combobox', { name, exact: true });
        await field.fill(scene.card.name);
        await page.getByRole('listbox').getByRole('option').filter({ hasText: '012' }).click();
        return;
      }
      await page.getByRole('textbox', { name, exact: true }).fill(scene.card.name);
      await press(['Search cards', 'カードを検索']);
      await page.getByRole('radio', { name: new RegExp(scene.card.name) }).check();
    },
    status: () => status,
    examine: async (wanted) => {
      assert.equal(status, wanted, page.url());
      // Axe is a script itself.
      if (!hasScripts) return;
      const found: { scroll: number; lang: string } = await page.evaluate(
        `({ scroll: document.documentElement.scrollWidth, lang: document.documentElement.lang })`,
      );
      assert.ok(found.scroll <= width, `${page.url()} is ${found.scroll} px wide`);
      assert.equal(found.lang, language, page.url());
      // Each look of axe costs half a second.
      if (looks++ % 2 !== 0) return;
      const { violations } = await new AxeBuilder({ page })
        .setLegacyMode(true)
        .withTags(RULES)
        .analyze();
      const told = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
      );
      assert.deepEqual(told, [], page.url());
    },
  };
}

/** Signs the whole browser in as another account. */
export async function becomes(person: Person, accountId: string): Promise<void> {
  const context = person.page.context();
  const { service, base } = person.scene;
  await context.clearCookies();
  await signInContext(context, service.publicUrl, base.db, accountId);
}

/** The id that the last part of a page's address is. */
export function idOf(page: Page): string {
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}
