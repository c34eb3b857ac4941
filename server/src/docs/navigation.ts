import { FIRST_PAGE, type PageNames, pagePath, resolveLink } from './page-link.ts';

export interface NavigationEntry {
  readonly href: string;
  readonly title: string;
}

/** The entries under one heading of `docs/README.md`. */
export interface NavigationGroup {
  readonly title: string;
  readonly entries: readonly NavigationEntry[];
}

/** Matches the path of a page without a fragment. */
const PAGE_PATH = /^\/docs\/[^/#?]+$/;
/** Matches a link at the beginning of a list item or a table row. */
const ENTRY = /^(?:[-*]|\d+\.|\|)\s+(?:\*\*)?\[([^\]]+)\]\(([^)\s]+)\)/;

/** Each heading of `docs/README.md` is a group. Links to files outside `docs/` are skipped. */
export function readNavigation(markdown: string, pages: PageNames): NavigationGroup[] {
  const groups: { title: string; entries: NavigationEntry[] }[] = [];
  let title = '';
  for (const line of markdown.split('\n')) {
    const heading = /^#+ +(.+)$/.exec(line);
    if (heading !== null) title = heading[1] ?? '';
    const [, text = '', href = ''] = ENTRY.exec(line) ?? [];
    const link = href === '' ? null : resolveLink(href, pages);
    if (link?.kind !== 'here' || !PAGE_PATH.test(link.href)) continue;
    const entry = { href: link.href, title: text.replaceAll('`', '') };
    const group = groups.at(-1);
    if (group?.title === title) group.entries.push(entry);
    else groups.push({ title, entries: [entry] });
  }
  return groups;
}

/** Returns the first page, then the pages in the order of the navigation. */
export function readingOrder(
  groups: readonly NavigationGroup[],
  firstTitle: string,
  pages: ReadonlySet<string>,
): NavigationEntry[] {
  const paths = new Set([...pages].map(pagePath));
  const entries = groups.flatMap((group) => group.entries).filter(({ href }) => paths.has(href));
  return [{ href: pagePath(FIRST_PAGE), title: firstTitle }, ...entries];
}
