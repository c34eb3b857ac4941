import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { keepFile, type KeptFile } from '../http/kept-file.ts';
import type { Language } from '../pages/language.ts';
import { renderLayout } from './layout.ts';
import { type Article, renderMarkdown } from './markdown.ts';
import { type NavigationGroup, readingOrder, readNavigation } from './navigation.ts';
import { FIRST_PAGE, PICTURE_FOLDER, PICTURE_NAME, pathOfPage } from './page-link.ts';

export const SCRIPT_PATH = '/docs/assets/docs.js';

/**
 * The pages of a folder of Markdown. Each is rendered on the first request and cached: rendering
 * takes a few milliseconds, and no request waits for all pages. The folder is listed once; only
 * these names exist.
 */
export class DocsSite {
  readonly #folder: URL;
  readonly #names: ReadonlySet<string>;
  readonly #pictures: ReadonlySet<string>;
  readonly #groups: readonly NavigationGroup[];
  readonly #titles: ReadonlyMap<string, string>;
  readonly #articles = new Map<string, Article>();
  readonly #files = new Map<string, KeptFile>();

  /** `folder` ends in a slash and contains `README.md`. */
  constructor(folder: URL) {
    this.#folder = folder;
    const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
    this.#names = new Set(files.map((file) => file.slice(0, -'.md'.length)));
    const images = new URL(PICTURE_FOLDER, folder);
    const pictures = existsSync(images) ? readdirSync(images) : [];
    this.#pictures = new Set(pictures.filter((file) => PICTURE_NAME.test(file)));
    this.#groups = readNavigation(this.#read(FIRST_PAGE), this.#names);
    const entries = this.#groups.flatMap((group) => group.entries);
    this.#titles = new Map(
      [...this.#names].map((name) => {
        const entry = entries.find(({ href }) => href === pathOfPage(name));
        return [name, entry?.title ?? name];
      }),
    );
  }

  /** A page, or null if the name does not exist. */
  async page(name: string, language: Language): Promise<KeptFile | null> {
    if (!this.#names.has(name)) return null;
    const key = `${language} ${name}`;
    const kept = this.#files.get(key);
    if (kept !== undefined) return kept;
    const article = this.#article(name);
    const href = pathOfPage(name);
    const order = readingOrder(this.#groups, this.#article(FIRST_PAGE).title, this.#names);
    const place = order.findIndex((entry) => entry.href === href);
    const neighbour = (at: number): (typeof order)[number] | null => order[at] ?? null;
    const markup = await renderLayout({
      language,
      article,
      href,
      groups: this.#groups,
      previous: place === -1 ? null : neighbour(place - 1),
      next: place === -1 ? null : neighbour(place + 1),
      sourceHref: `/docs/${name}.md`,
      scriptHref: SCRIPT_PATH,
    });
    return this.#keep(key, 'text/html; charset=utf-8', String(markup));
  }

  /** A picture in the folder (`images/x.png`), or null. */
  picture(file: string): KeptFile | null {
    if (!this.#pictures.has(file)) return null;
    return this.#file(`${PICTURE_FOLDER}${file}`, 'image/png');
  }

  source(name: string): KeptFile | null {
    if (!this.#names.has(name)) return null;
    return this.#file(`${name}.md`, 'text/markdown; charset=utf-8');
  }

  #file(path: string, type: string): KeptFile {
    const kept = this.#files.get(path);
    return kept ?? this.#keep(path, type, readFileSync(new URL(path, this.#folder)));
  }

  #keep(key: string, type: string, content: string | Buffer): KeptFile {
    const made = keepFile(type, content);
    this.#files.set(key, made);
    return made;
  }

  #article(name: string): Article {
    const kept = this.#articles.get(name);
    if (kept !== undefined) return kept;
    const made = renderMarkdown(this.#read(name), this.#titles);
    this.#articles.set(name, made);
    return made;
  }

  #read(name: string): string {
    return readFileSync(new URL(`${name}.md`, this.#folder), 'utf8');
  }
}
