import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { type FlashCode, flashText } from '../src/console/flash.ts';
import type { Language } from '../src/html/language.ts';
import type { ActionScene } from './action-scene.ts';
import { injectAxe, findViolations, SHARED_PARTS } from './axe.ts';
import { signInContext } from './console-crawl.ts';

/** Selects a form when several forms of a page post to the same `path`. */
export interface FormSelector {
  /** Values of the form's hidden fields, which distinguish the form. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** The `[name, value]` of the button to press, if the form has several. */
  readonly button?: readonly [name: string, value: string];
}

/**
 * A person at a browser. Elements are found by link target, form action and field name, because
 * the wording of a page may change. Paths are relative to the shop's address, or begin with
 * `/console`.
 */
export interface Person {
  readonly page: Page;
  readonly scene: ActionScene;
  readonly language: Language;
  /** False when pages must work without scripts. */
  readonly hasScripts: boolean;
  /** Opens an address and expects status 200. */
  open(path: string): Promise<void>;
  /** Follows the first link to this path. */
  follow(path: string): Promise<void>;
  /** Submits the form whose action is this path, and waits for the next page. */
  send(path: string, selector?: FormSelector): Promise<void>;
  /** Runs `act`, which leads to another page, and waits until that page is loaded. */
  navigate(act: () => Promise<unknown>): Promise<void>;
  /** Returns the control of a form field or, with a value, the option with this value. */
  field(name: string, value?: string): Locator;
  /** Waits until the page confirms the action. */
  expectFlash(code: FlashCode): Promise<void>;
  /** Waits for an error message, at this field or by default anywhere on the page. */
  expectError(field?: string): Promise<void>;
  /** Selects the scene's first card in the picker of the form that posts to `path`. */
  pickCard(path: string): Promise<void>;
  /**
   * Checks the current page, which no link leads to. It must have this status, fit the width and be
   * in the person's language, and axe must find no violation.
   */
  checkPage(status: number): Promise<void>;
}

export interface PersonOptions {
  readonly scene: ActionScene;
  readonly language: Language;
  readonly hasScripts: boolean;
}

/**
 * The width of a phone in CSS pixels. `crawl.test.ts` checks the layout of the same forms at the
 * width of a desktop.
 */
export const PHONE_WIDTH = 390;

/**
 * Opens a new page in this browser for a person. All pages of a browser are signed in as the same
 * account.
 */
export async function openPerson(
  context: BrowserContext,
  { scene, language, hasScripts }: PersonOptions,
): Promise<Person> {
  const page = await context.newPage();
  let status = 0;
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) status = response.status();
  });
  const pathOf = (path: string): string =>
    path.startsWith('/console') ? path : `/console/shops/${scene.shop.shop.slug}${path}`;
  const navigate = async (act: () => Promise<unknown>): Promise<void> => {
    const navigated = page.waitForEvent('framenavigated');
    await Promise.all([navigated, act()]);
    await page.waitForLoadState('load');
  };
  const send = async (path: string, { hidden = {}, button }: FormSelector = {}): Promise<void> => {
    const conditions = Object.entries(hidden).map(([name, value]) => `:has(${named(name, value)})`);
    const form = page.locator(
      `form[method="post"][action="${pathOf(path)}"]${conditions.join('')}`,
    );
    const submit = button === undefined ? ':not([name])' : named(...button);
    await navigate(
      async () => await form.locator(`button[type="submit"]${submit}:visible`).click(),
    );
  };
  const field = (name: string, value?: string): Locator =>
    page.locator(`:is(input:not([type="hidden"]), select, textarea)${named(name, value)}`);
  return {
    page,
    scene,
    language,
    hasScripts,
    navigate,
    send,
    field,
    open: async (path) => {
      const answer = await page.goto(`${new URL(scene.service.publicUrl).origin}${pathOf(path)}`);
      assert.equal(answer?.status(), 200, path);
    },
    follow: async (path) => {
      // An empty list has two links for creating the first entry.
      const link = page.locator(`main a[href="${pathOf(path)}"]`).first();
      await navigate(async () => await link.click());
      assert.equal(status, 200, path);
    },
    expectFlash: async (code) => {
      const said = page.getByRole('status').filter({ hasText: flashText(code, language) });
      await said.waitFor();
    },
    expectError: async (name) => {
      await page.getByRole('alert').first().waitFor();
      if (name !== undefined) {
        assert.equal(await field(name).first().getAttribute('aria-invalid'), 'true', name);
      }
    },
    pickCard: async (path) => {
      await field('card_q').fill(scene.card.name);
      if (hasScripts) {
        await page.getByRole('listbox').getByRole('option').filter({ hasText: '012' }).click();
        return;
      }
      await send(path, { button: ['card_find', '1'] });
      await field('card', scene.card.id).check();
    },
    checkPage: async (expectedStatus) => {
      assert.equal(status, expectedStatus, page.url());
      const found: { scroll: number; lang: string } = await page.evaluate(
        `({ scroll: document.documentElement.scrollWidth, lang: document.documentElement.lang })`,
      );
      assert.ok(found.scroll <= PHONE_WIDTH, `${page.url()} is ${found.scroll} px wide`);
      assert.equal(found.lang, language, page.url());
      await injectAxe(page);
      const barriers = await findViolations(page, 'all', { exclude: SHARED_PARTS });
      assert.deepEqual(barriers, [], page.url());
    },
  };
}

function named(name: string, value?: string): string {
  return `[name="${name}"]${value === undefined ? '' : `[value="${value}"]`}`;
}

/** Signs the whole browser in as another account. */
export async function signInAs(person: Person, accountId: string): Promise<void> {
  const context = person.page.context();
  const { service, base } = person.scene;
  await context.clearCookies();
  await signInContext(context, service.publicUrl, base.db, accountId);
}

export function idFromUrl(page: Page): string {
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}
