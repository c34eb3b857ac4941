import { posix } from 'node:path';

/** The target of a link for a reader of the service. */
export type PageLink =
  | { readonly kind: 'here'; readonly href: string }
  | { readonly kind: 'elsewhere'; readonly href: string }
  /** A file that only the repository has. */
  | { readonly kind: 'repository'; readonly path: string }
  /** Not an address that a browser may follow. */
  | { readonly kind: 'none' };

/** The names of all pages. */
export type PageNames = Pick<ReadonlySet<string>, 'has'>;

export const FIRST_PAGE = 'README';

/** The folder of the pictures, below the pages. */
export const IMAGE_FOLDER = 'images/';

/** Valid file names of pictures. */
export const IMAGE_NAME = /^[a-z\d-]{1,60}\.png$/;

/**
 * The path of a picture as a page names it (`images/x.png`), or null if it is not a picture of the
 * pages.
 */
export function imagePath(href: string): string | null {
  const file = href.startsWith(IMAGE_FOLDER) ? href.slice(IMAGE_FOLDER.length) : '';
  return IMAGE_NAME.test(file) ? `/docs/${IMAGE_FOLDER}${file}` : null;
}

/** The address of the service in the pages; here it is replaced by the one that the reader uses. */
const OWN_ADDRESS = 'http://127.0.0.1:8080';

export function pagePath(name: string): string {
  return name === FIRST_PAGE ? '/docs' : `/docs/${name}`;
}

/**
 * Converts a link of `docs/*.md` into one of the service: `x.md#y` into `/docs/x#y`, a file outside
 * of the pages into its path in the repository.
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
  return { kind: 'here', href: `${pagePath(name)}${hash}` };
}
