import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

/** WCAG 2.2 AA and what it contains, as axe names them. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules of these tags whose answer depends on the colour scheme or the width of the window. */
const LOOKS = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
];

/** What is the same on every page of the console. */
export const SURROUNDINGS = ['header.bar', 'nav.sections'];

/** Brings axe into each page of a window as it loads, for 20 ms of CPU time; into one page afterwards takes 80. */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** Brings axe into a page that is there already. */
export async function bringAxeInto(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** What is left out of a page. */
export interface LeftOut {
  /** Parts that are not examined. */
  readonly exclude?: readonly string[];
  /** Elements that are taken away before, for each costs time even when it is not examined. */
  readonly remove?: string;
}

/**
 * What axe finds wrong with a page that it was brought into, by `looks` only what another window may show otherwise; empty:
 * nothing.
 */
export async function findBarriers(
  page: Page,
  rules: 'all' | 'looks',
  { exclude = [], remove }: LeftOut = {},
): Promise<readonly string[]> {
  // Everything but violations would be told with all its nodes too.
  const options = { runOnly: rules === 'all' ? TAGS : LOOKS, resultTypes: ['violations'] };
  const removing =
    remove === undefined
      ? ''
      : `document.querySelectorAll(${JSON.stringify(remove)}).forEach((each) => each.remove());`;
  return await page.evaluate(
    `${removing} axe.run(${JSON.stringify({ exclude })}, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
}
