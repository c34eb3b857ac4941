import { posix } from 'node:path';

/** Where a link of a page leads, as a reader of the service sees it. */
export type PageLink =
  | { readonly kind: 'here'; readonly href: string }
  | { readonly kind: 'elsewhere'; readonly href: string }
  /** A file that only the repository has. */
  | { readonly kind: 'repository'; readonly path: string }
  /** No address that a browser may follow. */
  | { readonly kind: 'none' };

/** The names of all pages, whatever else is kept of them. */
export type PageNames = Pick<ReadonlySet<string>, 'has'>;

export const FIRST_PAGE = 'README';

/** Where pictures of the pages lie, beside them. */
export const PICTURE_FOLDER = 'images/';

/** What such a picture is called. */
export const PICTURE_NAME = /^[a-z\d-]{1,60}\.png$/;

/** The address of a picture as it stands in a page (`images/x.png`); null when it is no picture of the pages. */
export function pathOfPicture(href: string): string | null {
  const file = href.startsWith(PICTURE_FOLDER) ? href.slice(PICTURE_FOLDER.length) : '';
  return PICTURE_NAME.test(file) ? `/docs/${PICTURE_FOLDER}${file}` : null;
}

/** The address under which pages name the service; here it is the one that the reader is at. */
const OWN_ADDRESS = 'http://127.0.0.1:8080';

export function pathOfPage(name: string): string {
  return name === FIRST_PAGE ? '/docs' : `/docs/${name}`;
}

/**
 * Turns a link as it stands in `docs/*.md` into one of the service: `x.md#y` into `/docs/x#y`, a file outside of the pages
 * into its path in the repository.
 */
export function resolveLink(href: string, pages: PageNames): PageLink {
  if (href.startsWith('#')) return { kind: 'here', href };
  if (href.startsWith(`${OWN_ADDRESS}/`)) {
    return { kind: 'here', href: href.slice(OWN_ADDRESS.length) };
  }
  if (/^(?:https?|mailto):/i.test(href)) return { kind: 'elsewhere', href };
  if (/^[a-z][a-z\d+.-]*:/i.test(href) || href.startsWith('//')) return { kind: 'none' };
  if (href.startsWith('/')) return { kind: 'here', href };
  const [target = '', fragment] = href.split('#');
  const path = posix.normalize(posix.join('docs', decodeURI(target)));
  const name = /^docs\/([^/]+)\.md$/.exec(path)?.[1];
  if (name === undefined || !pages.has(name)) return { kind: 'repository', path };
  const hash = fragment === undefined ? '' : `#${fragment}`;
  return { kind: 'here', href: `${pathOfPage(name)}${hash}` };
}
