import type { ConsoleRoute } from '../server/src/console/routes.ts';

/** An address of the console, and the route that it is of. */
export interface ConsolePage {
  readonly pattern: string;
  readonly path: string;
}

/** Addresses of one route that are measured at most: its page, a few with filters, further pages, other objects. */
const PATHS_OF_ROUTE = 16;
/** And of one route with the same filters: objects differ in what they have. */
const PATHS_OF_KIND = 2;
/** Answers that one walk asks for at most. */
const ANSWERS_MAX = 600;

/** Follows the links of the console from `from`; of each route a few addresses, those that look most unlike first. */
export async function walkLinks(
  ask: (path: string) => Promise<{ readonly text: string; readonly location: string | null }>,
  routes: readonly ConsoleRoute[],
  from: readonly string[],
): Promise<readonly ConsolePage[]> {
  const found: ConsolePage[] = [];
  const seen = new Set<string>();
  const kinds = new Map<string, number>();
  const waiting = [...from];
  for (let answers = 0; answers < ANSWERS_MAX;) {
    const path = waiting.shift();
    if (path === undefined) break;
    const pattern = patternOf(path, routes);
    if (pattern === null || seen.has(path)) continue;
    seen.add(path);
    // Pages by the names of their parameters: of a hundred links to a next page two are enough.
    const kind = `${pattern} ${[...new URL(path, 'http://x').searchParams.keys()].toSorted().join()}`;
    const ofRoute = found.filter((page) => page.pattern === pattern).length;
    const ofKind = kinds.get(kind) ?? 0;
    if (ofKind >= PATHS_OF_KIND || ofRoute >= PATHS_OF_ROUTE) continue;
    kinds.set(kind, ofKind + 1);
    answers += 1;
    const { text, location } = await ask(path);
    found.push({ pattern, path });
    waiting.push(...linksOf(text, path), ...(location === null ? [] : [location]));
  }
  return found;
}

/** The route that a path is of, the one with the fewest parameters first; null when it is none. */
function patternOf(path: string, routes: readonly ConsoleRoute[]): string | null {
  const [bare = ''] = path.split(/[?#]/);
  const fitting = routes
    .filter(({ method, path: pattern }) => method === 'GET' && isOf(bare, pattern))
    .map((route) => route.path)
    .toSorted((a, b) => a.split(':').length - b.split(':').length);
  return fitting[0] ?? null;
}

function isOf(path: string, pattern: string): boolean {
  const parts = path.split('/');
  const asked = pattern.split('/');
  return (
    parts.length === asked.length &&
    asked.every((part, n) => (part.startsWith(':') ? parts[n] !== '' : part === parts[n]))
  );
}

/** Links, pictures, and forms that are asked for with GET, with the values that they would send. */
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

/** What a form of filters may send: each choice of each list by itself, and a word in each field. */
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
