import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createCachedFile, type CachedFile } from '../http/cached-file.ts';
import type { Language } from '../html/language.ts';
import { renderLayout } from './layout.ts';
import { type Article, renderMarkdown } from './markdown.ts';
import { type NavigationGroup, readingOrder, readNavigation } from './navigation.ts';
import { FIRST_PAGE, IMAGE_FOLDER, IMAGE_NAME, pagePath } from './page-link.ts';

export const SCRIPT_PATH = '/docs/assets/docs.js';

/**
 * The pages of a folder of Markdown files. Each page is rendered on its first request, which takes
 * a few milliseconds, and cached. The folder is listed once, so files that are added later are not
 * served.
 */
export class DocsSite {
  readonly #folder: URL;
  readonly #names: ReadonlySet<string>;
  readonly #images: ReadonlySet<string>;
  readonly #groups: readonly NavigationGroup[];
  readonly #titles: ReadonlyMap<string, string>;
  readonly #articles = new Map<string, Article>();
  readonly #files = new Map<string, CachedFile>();

  /** `folder` must end in a slash and contain `README.md`. */
  constructor(folder: URL) {
    this.#folder = folder;
    const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
    this.#names = new Set(files.map((file) => file.slice(0, -'.md'.length)));
    const imageFolder = new URL(IMAGE_FOLDER, folder);
    const imageNames = existsSync(imageFolder) ? readdirSync(imageFolder) : [];
    this.#images = new Set(imageNames.filter((file) => IMAGE_NAME.test(file)));
    this.#groups = readNavigation(this.#read(FIRST_PAGE), this.#names);
    const entries = this.#groups.flatMap((group) => group.entries);
    this.#titles = new Map(
      [...this.#names].map((name) => {
        const entry = entries.find(({ href }) => href === pagePath(name));
        return [name, entry?.title ?? name];
      }),
    );
  }

  /** Returns a page, or null if no page has this name. */
  async page(name: string, language: Language): Promise<CachedFile | null> {
    if (!this.#names.has(name)) return null;
    const key = `${language} ${name}`;
    const cached = this.#files.get(key);
    if (cached !== undefined) return cached;
    const article = this.#article(name);
    const href = pagePath(name);
    const order = readingOrder(this.#groups, this.#article(FIRST_PAGE).title, this.#names);
    const position = order.findIndex((entry) => entry.href === href);
    const neighbor = (at: number): (typeof order)[number] | null => order[at] ?? null;
    const markup = await renderLayout({
      language,
      article,
      href,
      groups: this.#groups,
      previous: position === -1 ? null : neighbor(position - 1),
      next: position === -1 ? null : neighbor(position + 1),
      sourceHref: `/docs/${name}.md`,
      scriptHref: SCRIPT_PATH,
    });
    return this.#cache(key, 'text/html; charset=utf-8', String(markup));
  }

  /** Returns an image of the folder `images`, or null if it does not exist. */
  image(file: string): CachedFile | null {
    if (!this.#images.has(file)) return null;
    return this.#file(`${IMAGE_FOLDER}${file}`, 'image/png');
  }

  source(name: string): CachedFile | null {
    if (!this.#names.has(name)) return null;
    return this.#file(`${name}.md`, 'text/markdown; charset=utf-8');
  }

  #file(path: string, type: string): CachedFile {
    const cached = this.#files.get(path);
    return cached ?? this.#cache(path, type, readFileSync(new URL(path, this.#folder)));
  }

  #cache(key: string, type: string, content: string | Buffer): CachedFile {
    const created = createCachedFile(type, content);
    this.#files.set(key, created);
    return created;
  }

  #article(name: string): Article {
    const cached = this.#articles.get(name);
    if (cached !== undefined) return cached;
    const created = renderMarkdown(this.#read(name), this.#titles);
    this.#articles.set(name, created);
    return created;
  }

  #read(name: string): string {
    return readFileSync(new URL(`${name}.md`, this.#folder), 'utf8');
  }
}
