import type { ConsoleRoute } from '../server/src/console/routes.ts';

/** An address of the console, and the route that serves it. */
export interface ConsolePage {
  readonly pattern: string;
  readonly path: string;
}

/** The maximum number of addresses measured per route. They differ in filters, page and object. */
const PATHS_OF_ROUTE = 16;
/**
 * The maximum number of addresses per route with the same parameter names. It is more than one,
 * because the pages of two objects may differ.
 */
const PATHS_OF_KIND = 2;
/** The crawl fails after this number of requests. */
const REQUESTS_MAX = 600;

/** Follows the console's links from `from`, and returns a few different addresses per route. */
export async function crawlLinks(
  fetchPage: (path: string) => Promise<{ readonly text: string; readonly location: string | null }>,
  routes: readonly ConsoleRoute[],
  from: readonly string[],
): Promise<readonly ConsolePage[]> {
  const found: ConsolePage[] = [];
  const visited = new Set<string>();
  const kinds = new Map<string, number>();
  const queue = [...from];
  for (let requests = 0; requests < REQUESTS_MAX;) {
    const path = queue.shift();
    if (path === undefined) break;
    const pattern = patternOf(path, routes);
    if (pattern === null || visited.has(path)) continue;
    visited.add(path);
    // Group pages by parameter names, because two of a hundred links to a next page are enough.
    const kind = `${pattern} ${[...new URL(path, 'http://x').searchParams.keys()].toSorted().join()}`;
    const ofRoute = found.filter((page) => page.pattern === pattern).length;
    const ofKind = kinds.get(kind) ?? 0;
    if (ofKind >= PATHS_OF_KIND || ofRoute >= PATHS_OF_ROUTE) continue;
    kinds.set(kind, ofKind + 1);
    requests += 1;
    const { text, location } = await fetchPage(path);
    found.push({ pattern, path });
    queue.push(...linksOf(text, path), ...(location === null ? [] : [location]));
  }
  return found;
}

/**
 * Returns the route of a path, or null. If several routes match, returns the one with the fewest
 * parameters.
 */
function patternOf(path: string, routes: readonly ConsoleRoute[]): string | null {
  const [bare = ''] = path.split(/[?#]/);
  const matching = routes
    .filter(({ method, path: pattern }) => method === 'GET' && matchesPattern(bare, pattern))
    .map((route) => route.path)
    .toSorted((a, b) => a.split(':').length - b.split(':').length);
  return matching[0] ?? null;
}

function matchesPattern(path: string, pattern: string): boolean {
  const parts = path.split('/');
  const patternParts = pattern.split('/');
  return (
    parts.length === patternParts.length &&
    patternParts.every((part, n) => (part.startsWith(':') ? parts[n] !== '' : part === parts[n]))
  );
}

/**
 * Returns the targets of links and images, and the addresses that GET forms open with their current
 * values.
 */
function linksOf(text: string, base: string): string[] {
  const links = [
    ...text.matchAll(/(?:href|src|data-src|data-url)="(\/console[^"]*|\?[^"]*)"/g),
  ].map(([, link = '']) => link);
  const forms = [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(
    ([, attributes = '', inner = '']) => {
      if (/method="post"/i.test(attributes)) return [];
      const action = /action="([^"]*)"/.exec(attributes)?.[1] ?? base.split('?')[0] ?? '';
      return queriesOf(inner).map((query) => `${action}?${query}`);
    },
  );
  return [...links, ...forms]
    .map((link) => link.replaceAll('&amp;', '&').replaceAll('&#38;', '&'))
    .map((link) => toPath(new URL(link, `http://x${base}`)));
}

/**
 * Returns queries that a filter form can send: one for each option of each list, and one with a
 * word in each field.
 */
function queriesOf(inner: string): string[] {
  const queries: string[] = [];
  for (const [, name = '', options = ''] of inner.matchAll(
    /<select\b[^>]*name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g,
  )) {
    const values = [...options.matchAll(/value="([^"]+)"/g)].map(([, value = '']) => value);
    const chosen = values.at(-1);
    if (chosen !== undefined) queries.push(`${name}=${encodeURIComponent(chosen)}`);
  }
  for (const [input] of inner.matchAll(/<input\b[^>]*>/g)) {
    const name = /name="([^"]+)"/.exec(input)?.[1];
    const type = /type="([^"]+)"/.exec(input)?.[1] ?? 'text';
    if (name === undefined) continue;
    if (['text', 'search'].includes(type)) queries.push(`${name}=${encodeURIComponent('竜')}`);
    const value = /value="([^"]+)"/.exec(input)?.[1];
    if (['radio', 'checkbox'].includes(type) && value !== undefined) {
      queries.push(`${name}=${encodeURIComponent(value)}`);
    }
  }
  return queries;
}

function toPath(url: URL): string {
  return `${url.pathname}${url.search}`;
}
