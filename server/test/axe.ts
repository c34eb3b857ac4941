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

/** Brings axe into each page of a window as it loads, for 20 ms of CPU time; `findBarriers` takes 80 to bring it afterwards. */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** What axe finds wrong with a page, in `looks` only what another window may show otherwise; empty: nothing. */
export async function findBarriers(
  page: Page,
  rules: 'all' | 'looks',
  exclude: readonly string[] = [],
): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  // Everything but violations would be told with all its nodes too.
  const options = { runOnly: rules === 'all' ? TAGS : LOOKS, resultTypes: ['violations'] };
  return await page.evaluate(
    `axe.run(${JSON.stringify({ exclude })}, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
}
