import { formsOf, type PostedForm } from '../../test/console-forms.ts';
import type { Fields } from './authorization-flow.ts';
import { Browser, encodeForm, type Page } from './browser.ts';
import type { CaseContext } from './case-context.ts';
import { mutateBytes, pickHostileText } from './mutation.ts';
import { encodeMultipart, type SentFile } from './multipart.ts';
import type { Random } from './random.ts';
import type { Person } from './scene.ts';
import { makeStockFile } from './stock-files.ts';

/** The maximum number of looks at the page of an import that is being checked. */
const LOOKS_MAX = 3;

/** Uploads by members: files of stock and photos, in bodies of all kinds. */
export class UploadCases {
  readonly #context: CaseContext;
  readonly #pictures: readonly (readonly [string, Buffer])[];

  constructor(context: CaseContext, pictures: readonly (readonly [string, Buffer])[]) {
    this.#context = context;
    this.#pictures = pictures;
  }

  async run(random: Random): Promise<void> {
    const { scene, pools } = this.#context;
    const person = random.weigh<Person>({ owner: 8, clerk: 4, bare: 1, stranger: 1 });
    const browser = new Browser(this.#context, 'upload', await scene.signIn(person));
    const stock = `/console/shops/${scene.shop.slug}/stock`;
    const isImport = random.chance(65);
    const address = isImport ? `${stock}/import` : `${stock}/${pools.id(random, 'unit')}`;
    const page = await browser.go(random, 'GET', address);
    const forms = formsOf(page?.text ?? '').filter((form) => form.isMultipart);
    if (forms.length === 0) return;
    const form = random.pick(forms);
    const field = form.controls.find(({ type }) => type === 'file')?.name ?? 'file';
    const file = isImport ? this.#stockFile(random, field) : this.#photo(random, field);
    const load = encodeMultipart(random, fieldsOf(random, form), file);
    if (random.chance(5)) {
      await browser.cut(form.action, load, random.below(load.body.length));
      return;
    }
    const after = await browser.go(random, 'POST', form.action, load);
    if (isImport && after !== null) await this.#follow(browser, random, after);
  }

  #stockFile(random: Random, field: string): SentFile {
    const type = random.pick(['text/csv', 'text/csv', 'application/vnd.ms-excel', 'image/png', '']);
    return {
      ...makeFileName(random, 'stock.csv'),
      field,
      type,
      bytes: makeStockFile(random, this.#context.pools),
    };
  }

  #photo(random: Random, field: string): SentFile {
    const [type, picture] = random.pick(this.#pictures);
    const bytes = random.chance(40) ? mutateBytes(random, picture) : picture;
    return { ...makeFileName(random, 'card.jpg'), field, type, bytes };
  }

  /** Looks at an import as a member does: its rejected rows, then one of its forms. */
  async #follow(browser: Browser, random: Random, uploaded: Page): Promise<void> {
    const { pathname } = new URL(uploaded.url);
    if (!/\/stock\/import\/[\da-f-]{36}$/.test(pathname)) return;
    let page: Page | null = uploaded;
    for (let look = 0; look < LOOKS_MAX && page?.answer.headers['refresh'] !== undefined; look++) {
      page = await browser.go(random, 'GET', pathname);
    }
    if (random.chance(30)) await browser.go(random, 'GET', `${pathname}/rejected.csv`);
    const forms = formsOf(page?.text ?? '').filter(({ action }) => action.startsWith(pathname));
    if (forms.length === 0) return;
    const step = random.weigh({ remove: 4, check: 3, apply: 3 });
    const form = forms.find(({ action }) => action.endsWith(step)) ?? random.pick(forms);
    await browser.go(random, 'POST', form.action, encodeForm(fieldsOf(random, form)));
  }
}

/** Returns the values of all controls but files. Lists and groups have a random choice. */
function fieldsOf(random: Random, { controls }: PostedForm): Fields {
  const names = [...new Set(controls.map(({ name }) => name))];
  return names.flatMap((name): Fields => {
    const same = controls.filter((control) => control.name === name);
    const { type, value, choices } = random.pick(same);
    if (type === 'file') return [];
    return [[name, choices.length > 0 && random.chance(50) ? random.pick(choices) : value]];
  });
}

function makeFileName(random: Random, usual: string): Pick<SentFile, 'fileName'> {
  return { fileName: random.chance(80) ? usual : pickHostileText(random).slice(0, 5_000) };
}
