import { posix } from 'node:path';

export type PageLink =
  | { readonly kind: 'here'; readonly href: string }
  | { readonly kind: 'elsewhere'; readonly href: string }
  /** A file that is only in the repository. */
  | { readonly kind: 'repository'; readonly path: string }
  /** An unsafe URL, which is shown without a link. */
  | { readonly kind: 'none' };

export type PageNames = Pick<ReadonlySet<string>, 'has'>;

export const FIRST_PAGE = 'README';

/** The part before `.md` in the file name of a Japanese translation. */
export const TRANSLATION_ENDING = '.ja';

/** The directory of the images, inside the directory of the pages. */
export const IMAGE_FOLDER = 'images/';

export const IMAGE_NAME = /^[a-z\d-]{1,60}\.png$/;

export function imagePath(href: string): string | null {
  const file = href.startsWith(IMAGE_FOLDER) ? href.slice(IMAGE_FOLDER.length) : '';
  return IMAGE_NAME.test(file) ? `/docs/${IMAGE_FOLDER}${file}` : null;
}

/** The address of the service in the pages' text. A link to it leads to the reader's service. */
const OWN_ADDRESS = 'http://127.0.0.1:8080';

export function pagePath(name: string): string {
  return name === FIRST_PAGE ? '/docs' : `/docs/${name}`;
}

/** `x.md#y` and `x.ja.md#y` become `/docs/x#y`, which is shown in the reader's language. */
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
  const name = /^docs\/([^/]+?)(?:\.ja)?\.md$/.exec(path)?.[1];
  if (name === undefined || !pages.has(name)) return { kind: 'repository', path };
  const hash = fragment === undefined ? '' : `#${fragment}`;
  return { kind: 'here', href: `${pagePath(name)}${hash}` };
}
