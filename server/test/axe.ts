import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

/** The axe tags for WCAG 2.2 AA and everything that it includes. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules with results that depend on the color scheme or the width of the window. */
const VISUAL_RULES = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
];

/** Selectors of the parts that are the same on every page of the console. */
export const SHARED_PARTS = ['header.bar', 'nav.sections'];

/**
 * Loads axe into every page of a browser context, which takes 20 ms of CPU per page. Adding it to a
 * loaded page takes 80 ms.
 */
export async function installAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** Loads axe into a page that is already open. */
export async function injectAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** The parts of a page that are not checked. */
export interface AxeExclusions {
  /** Selectors of parts that axe skips. */
  readonly exclude?: readonly string[];
  /** A selector of elements to remove before the check, because even skipped elements cost time. */
  readonly remove?: string;
}

/**
 * Returns the violations that axe finds on a page that has loaded axe. With `looks`, axe checks
 * only the rules that depend on the color scheme or the width. Throws if the page is still in
 * transition: the browser asks for reduced motion, so each page must omit its transitions.
 */
export async function findViolations(
  page: Page,
  rules: 'all' | 'looks',
  { exclude = [], remove }: AxeExclusions = {},
): Promise<readonly string[]> {
  // By default, axe also collects the nodes of rules that passed.
  const options = { runOnly: rules === 'all' ? TAGS : VISUAL_RULES, resultTypes: ['violations'] };
  const removing =
    remove === undefined
      ? ''
      : `document.querySelectorAll(${JSON.stringify(remove)}).forEach((each) => each.remove());`;
  return await page.evaluate(
    `${removing} if (document.getAnimations().length > 0) throw new Error('a transition is running');
    axe.run(${JSON.stringify({ exclude })}, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
}
