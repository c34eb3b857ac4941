import type { BrowserContext, Page } from 'playwright-core';
import type { ConsoleRoute } from '../src/console/routes.ts';
import { startSession } from '../src/shops/session.ts';
import type { Database } from '../src/database/database.ts';

/** What a walk through all links has found. */
export interface WalkedPage {
  /** The route that it is of: `/console/shops/:slug/boosts/:id`. */
  readonly pattern: string;
  readonly path: string;
  readonly page: Page;
}

export interface WalkOptions {
  readonly origin: string;
  readonly routes: readonly ConsoleRoute[];
  /** Where the walk begins; each is looked at, also when another of its route was. */
  readonly from: readonly string[];
  /** Looks at each page, one of each route. */
  readonly look: (walked: WalkedPage) => Promise<void>;
}

/** What was reachable by links and forms, by route. */
export interface Walked {
  readonly pages: ReadonlySet<string>;
  /** Routes that forms of those pages are sent to. */
  readonly actions: ReadonlySet<string>;
}

/** Pages of one walk at most: one of each route. */
const PAGES_MAX = 150;

/** Signs an account in without a password: each hash would take 30 ms. */
export async function signInContext(
  context: BrowserContext,
  origin: string,
  db: Database,
  accountId: string,
): Promise<void> {
  const { secret } = await startSession(db, accountId, new Date());
  await context.addCookies([{ name: 'cardport_session', value: secret, url: origin }]);
}

/** Follows every link of the console, one page of each route. What is no page (a file, a picture, a fragment) is only fetched. */
export async function walkConsole(
  context: BrowserContext,
  { origin, routes, from, look }: WalkOptions,
): Promise<Walked> {
  const page = await context.newPage();
  const seen = new Set<string>();
  const visited = new Set<string>();
  const pages = new Set<string>();
  const actions = new Set<string>();
  const waiting = [...from];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const pattern = patternOf(path, 'GET', routes);
    if (pattern === null) throw new Error(`a link leads nowhere: ${path}`);
    if (visited.has(path) || (seen.has(pattern) && !from.includes(path))) continue;
    visited.add(path);
    pages.add(pattern);
    // One that is looked at besides does not stand for its kind.
    if (!from.includes(path)) seen.add(pattern);
    if (visited.size > PAGES_MAX) throw new Error(`more than ${PAGES_MAX} pages`);
    const answer = await context.request.get(`${origin}${path}`, { maxRedirects: 0 });
    if (answer.status() === 303) {
      waiting.push(new URL(answer.headers()['location'] ?? '', origin).pathname);
      continue;
    }
    if (answer.status() !== 200) throw new Error(`${answer.status()} ${path}`);
    if (!(await answer.text()).startsWith('<!doctype html>')) continue;
    await page.goto(`${origin}${path}`);
    const { links, forms } = await linksOf(page);
    waiting.push(...links.filter((link) => !link.startsWith('/console/assets/')));
    for (const form of forms) {
      const action = patternOf(form, 'POST', routes);
      if (action !== null) actions.add(action);
    }
    await look({ pattern, path, page });
  }
  await page.close();
  return { pages, actions };
}

async function linksOf(page: Page): Promise<{ links: string[]; forms: string[] }> {
  // Without the DOM's types: what is asked is text to the browser.
  const links: string[] = await page.evaluate(
    `[...document.querySelectorAll('a[href^="/console"], img[src^="/console"]')].map((each) => each.getAttribute('href') ?? each.getAttribute('src'))`,
  );
  const forms: string[] = await page.evaluate(
    `[...document.querySelectorAll('form[method="post"]')]
      .flatMap((each) => [each.action, each.dataset.options, ...[...each.elements].map((button) => button.formAction)])
      .filter(Boolean).map((address) => new URL(address, location).pathname)`,
  );
  return { links, forms };
}

/** The route that a path is of, the one with the fewest parameters first, or null. */
export function patternOf(
  path: string,
  method: ConsoleRoute['method'],
  routes: readonly ConsoleRoute[],
): string | null {
  const [bare = ''] = path.split(/[?#]/);
  const fitting = routes
    .filter((route) => route.method === method && expressionOf(route.path).test(bare))
    .map((route) => route.path)
    .toSorted((a, b) => a.split(':').length - b.split(':').length);
  return fitting[0] ?? null;
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')))
    .join('/');
  return new RegExp(`^${source}$`);
}
