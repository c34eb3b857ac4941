import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createCachedFile, type CachedFile } from '../http/cached-file.ts';
import type { Language } from '../html/language.ts';
import { renderLayout } from './layout.ts';
import { type Article, renderMarkdown } from './markdown.ts';
import { type NavigationGroup, readingOrder, readNavigation } from './navigation.ts';
import { FIRST_PAGE, IMAGE_FOLDER, IMAGE_NAME, pagePath, TRANSLATION_ENDING } from './page-link.ts';

export const SCRIPT_PATH = '/docs/assets/docs.js';

/** The data that all pages in one language share. Pages without a translation are in English. */
interface Edition {
  readonly groups: readonly NavigationGroup[];
  readonly titles: ReadonlyMap<string, string>;
}

/**
 * The pages of a folder of Markdown files, with Japanese translations (`x.ja.md`) of some. Each
 * page is rendered on its first request, which takes a few milliseconds, and then cached. The
 * folder is listed once, so files that are added later are not served.
 */
export class DocsSite {
  readonly #folder: URL;
  readonly #names: ReadonlySet<string>;
  readonly #translated: ReadonlySet<string>;
  readonly #images: ReadonlySet<string>;
  readonly #editions: Readonly<Record<Language, Edition>>;
  readonly #articles = new Map<string, Article>();
  readonly #files = new Map<string, CachedFile>();

  /** `folder` must end in a slash and contain `README.md`. */
  constructor(folder: URL) {
    this.#folder = folder;
    const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
    const stems = files.map((file) => file.slice(0, -'.md'.length));
    const isTranslation = (stem: string): boolean => stem.endsWith(TRANSLATION_ENDING);
    this.#names = new Set(stems.filter((stem) => !isTranslation(stem)));
    this.#translated = new Set(
      stems.filter(isTranslation).map((stem) => stem.slice(0, -TRANSLATION_ENDING.length)),
    );
    const imageFolder = new URL(IMAGE_FOLDER, folder);
    const imageNames = existsSync(imageFolder) ? readdirSync(imageFolder) : [];
    this.#images = new Set(imageNames.filter((file) => IMAGE_NAME.test(file)));
    this.#editions = { en: this.#readEdition('en'), ja: this.#readEdition('ja') };
  }

  #readEdition(language: Language): Edition {
    const groups = readNavigation(this.#read(FIRST_PAGE, language), this.#names);
    const entries = groups.flatMap((group) => group.entries);
    const titles = new Map(
      [...this.#names].map((name) => {
        const entry = entries.find(({ href }) => href === pagePath(name));
        return [name, entry?.title ?? name];
      }),
    );
    return { groups, titles };
  }

  async page(name: string, language: Language): Promise<CachedFile | null> {
    if (!this.#names.has(name)) return null;
    const key = `${language} ${name}`;
    const cached = this.#files.get(key);
    if (cached !== undefined) return cached;
    const { groups } = this.#editions[language];
    const href = pagePath(name);
    const first = this.#article(FIRST_PAGE, language);
    const order = readingOrder(groups, first.title, this.#names);
    const position = order.findIndex((entry) => entry.href === href);
    const neighbor = (at: number): (typeof order)[number] | null => order[at] ?? null;
    const markup = await renderLayout({
      language,
      article: this.#article(name, language),
      articleLanguage: this.#languageOf(name, language),
      isTranslated: this.#translated.has(name),
      href,
      groups,
      navigationLanguage: this.#languageOf(FIRST_PAGE, language),
      previous: position === -1 ? null : neighbor(position - 1),
      next: position === -1 ? null : neighbor(position + 1),
      sourceHref: `/docs/${this.#fileName(name, language)}`,
      scriptHref: SCRIPT_PATH,
    });
    return this.#cache(key, 'text/html; charset=utf-8', String(markup));
  }

  image(file: string): CachedFile | null {
    if (!this.#images.has(file)) return null;
    return this.#file(`${IMAGE_FOLDER}${file}`, 'image/png');
  }

  /** Returns a Markdown file (`x.md` or `x.ja.md`), or null if it does not exist. */
  source(file: string): CachedFile | null {
    const [, name = '', translation] = /^([^.]+)(\.ja)?\.md$/.exec(file) ?? [];
    const known = translation === undefined ? this.#names : this.#translated;
    return known.has(name) ? this.#file(file, 'text/markdown; charset=utf-8') : null;
  }

  /** Returns the language in which a page is shown to a reader of `language`. */
  #languageOf(name: string, language: Language): Language {
    return this.#translated.has(name) ? language : 'en';
  }

  #fileName(name: string, language: Language): string {
    return this.#languageOf(name, language) === 'ja'
      ? `${name}${TRANSLATION_ENDING}.md`
      : `${name}.md`;
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

  #article(name: string, language: Language): Article {
    const key = this.#fileName(name, language);
    const cached = this.#articles.get(key);
    if (cached !== undefined) return cached;
    const shown = this.#languageOf(name, language);
    const { titles } = this.#editions[shown];
    const created = renderMarkdown(this.#read(name, language), titles, shown);
    this.#articles.set(key, created);
    return created;
  }

  #read(name: string, language: Language): string {
    return readFileSync(new URL(this.#fileName(name, language), this.#folder), 'utf8');
  }
}
