import type { BrowserContext } from 'playwright-core';
import type { ConsoleRoute } from '../src/console/routes.ts';
import { startSession } from '../src/shops/session.ts';
import type { Database } from '../src/database/database.ts';
import type { PlainBrowser } from './plain-browser.ts';

export interface CrawledPage {
  /** The route of the page, such as `/console/shops/:slug/boosts/:id`. */
  readonly pattern: string;
  readonly path: string;
  readonly text: string;
}

export interface CrawlOptions {
  readonly origin: string;
  readonly routes: readonly ConsoleRoute[];
  /** The first pages. All of these are visited, even if several have the same route. */
  readonly from: readonly string[];
}

/** The pages and routes that are reachable by links and forms. */
export interface CrawlResult {
  /** One page per route, and the pages in `from`. */
  readonly pages: readonly CrawledPage[];
  /** The routes of these pages and of redirects, files and images. */
  readonly found: ReadonlySet<string>;
  /** The target routes of the forms on these pages. */
  readonly actions: ReadonlySet<string>;
}

/** The maximum number of pages of a crawl, which visits one per route. */
const PAGES_MAX = 150;

/** Signs an account in without a password, because hashing it would take 30 ms. */
export async function signInContext(
  context: BrowserContext,
  origin: string,
  db: Database,
  accountId: string,
): Promise<void> {
  const { secret } = await startSession(db, accountId, new Date());
  await context.addCookies([{ name: 'cardport_session', value: secret, url: origin }]);
}

/** Follows every link of the console and visits one page per route. */
export async function crawlConsole(
  browser: PlainBrowser,
  { origin, routes, from }: CrawlOptions,
): Promise<CrawlResult> {
  const visited = new Set<string>();
  const kinds = new Set<string>();
  const found = new Set<string>();
  const pages: CrawledPage[] = [];
  const actions = new Set<string>();
  const queue = [...from];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (visited.has(path)) continue;
    visited.add(path);
    const pattern = patternOf(path, 'GET', routes);
    if (pattern === null) throw new Error(`broken link: ${path}`);
    // Other pages of the same route are skipped, except the pages in `from`.
    if (!from.includes(path)) {
      if (kinds.has(pattern)) continue;
      kinds.add(pattern);
    }
    if (pages.length > PAGES_MAX) throw new Error(`more than ${PAGES_MAX} pages`);
    found.add(pattern);
    const { status, url, text } = await browser.visit(`${origin}${path}`);
    if (status !== 200) throw new Error(`${status} ${path}`);
    const { pathname } = new URL(url);
    if (pathname !== path.split(/[?#]/)[0]) {
      queue.push(pathname);
      continue;
    }
    if (!text.startsWith('<!doctype html>')) continue;
    pages.push({ pattern, path, text });
    queue.push(...linksOf(text));
    for (const form of formsOf(text, path)) {
      const action = patternOf(form, 'POST', routes);
      if (action !== null) actions.add(action);
    }
  }
  return { pages, found, actions };
}

function linksOf(text: string): readonly string[] {
  return [...text.matchAll(/<(?:a|img)\b[^>]*?\s(?:href|src)="(\/console[^"]*)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => !link.startsWith('/console/assets/'));
}

/** Returns the targets of a page's forms. A button or a script may set the target. */
function formsOf(text: string, path: string): readonly string[] {
  const forms = [...text.matchAll(/<form\b([^>]*)>/g)].flatMap(([, attributes = '']) => {
    if (!attributes.includes('method="post"')) return [];
    return [/\saction="([^"]*)"/.exec(attributes)?.[1] ?? path, optionsOf(attributes)];
  });
  const buttons = [...text.matchAll(/\sformaction="([^"]*)"/g)].map(([, action]) => action);
  return [...forms, ...buttons].filter((action) => action !== undefined);
}

function optionsOf(attributes: string): string | undefined {
  return /\sdata-options="([^"]*)"/.exec(attributes)?.[1];
}

/** Returns the route of a path, preferring the route with the fewest parameters, or null. */
export function patternOf(
  path: string,
  method: ConsoleRoute['method'],
  routes: readonly ConsoleRoute[],
): string | null {
  const [bare = ''] = path.split(/[?#]/);
  const matching = routes
    .filter((route) => route.method === method && expressionOf(route.path).test(bare))
    .map((route) => route.path)
    .toSorted((a, b) => a.split(':').length - b.split(':').length);
  return matching[0] ?? null;
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')))
    .join('/');
  return new RegExp(`^${source}$`);
}
