import { type FormControl, formsOf, type PostedForm } from '../../test/console-forms.ts';
import { Browser, type RequestBody, type Page, patternOf, encodeForm } from './browser.ts';
import { type Fields, mutateFields } from './authorization-flow.ts';
import { pickHostileText, mutateBytes, mutateText } from './mutation.ts';
import { encodeMultipart } from './multipart.ts';
import type { Random } from './random.ts';
import { PEOPLE, type Person } from './scene.ts';
import type { CaseContext } from './case-context.ts';

/**
 * The maximum number of addresses kept per pattern. After that, each new address replaces another.
 */
const ADDRESSES_MAX = 12;
const PATTERNS_MAX = 300;

/** A person with a browser, until they are signed out. */
interface Visitor {
  readonly browser: Browser;
  isGone: boolean;
}

/** The console as members use it: every page that a link leads to, every form of these pages. */
export class ConsoleCases {
  readonly #context: CaseContext;
  readonly #pictures: readonly (readonly [string, Buffer])[];
  readonly #addresses = new Map<string, string[]>();
  readonly #sent = new Map<string, number>();
  readonly #visitors = new Map<Person, Visitor>();

  constructor(context: CaseContext, pictures: readonly (readonly [string, Buffer])[]) {
    this.#context = context;
    this.#pictures = pictures;
    for (const path of ['', '/account', `/shops/${context.scene.shop.slug}`]) {
      this.#keep(`/console${path}`);
    }
  }

  async run(random: Random): Promise<void> {
    if (random.chance(4)) return await this.#accept(random);
    const person = random.weigh<Person>({ owner: 14, clerk: 3, bare: 1, stranger: 1 });
    const visitor = await this.#visitor(person);
    const address = this.#pickAddress(random);
    const page = await visitor.browser.go(random, 'GET', address);
    this.#look(visitor, page, person);
    const forms = formsOf(page?.text ?? '');
    if (page === null || forms.length === 0) return;
    // Prefer the form that was sent least often, because some are on every page.
    const [form] = forms.toSorted((a, b) => this.#count(a) - this.#count(b) || random.below(3) - 1);
    if (form === undefined) return;
    this.#sent.set(patternOf(form.action), this.#count(form) + 1);
    const load = this.#fill(random, form);
    const odd = random.chance(3) ? { origin: 'https://foreign.example' } : {};
    const action = random.chance(5) ? mutateAddress(random, form.action) : form.action;
    const after = await visitor.browser.go(random, 'POST', action, load, odd);
    this.#look(visitor, after, person);
  }

  /** Opens the link of a mail, in a browser with or without a session. */
  async #accept(random: Random): Promise<void> {
    const { scene } = this.#context;
    const links = scene.invitations;
    if (links.length === 0) return;
    const session = random.chance(50) ? null : await scene.signIn(random.pick(PEOPLE));
    const browser = new Browser(this.#context, 'console', session);
    const page = await browser.go(random, 'GET', random.pick(links));
    const forms = formsOf(page?.text ?? '');
    if (forms.length === 0) return;
    const form = random.pick(forms);
    await browser.go(random, 'POST', form.action, this.#fill(random, form));
  }

  #count(form: PostedForm): number {
    return this.#sent.get(patternOf(form.action)) ?? 0;
  }

  async #visitor(person: Person): Promise<Visitor> {
    const known = this.#visitors.get(person);
    if (known !== undefined && !known.isGone) return known;
    const session = await this.#context.scene.signIn(person);
    const visitor = { browser: new Browser(this.#context, 'console', session), isGone: false };
    this.#visitors.set(person, visitor);
    return visitor;
  }

  #pickAddress(random: Random): string {
    const known = random.pick([...this.#addresses.values()]);
    const address = random.pick(known);
    return random.chance(20) ? mutateAddress(random, address) : address;
  }

  /** Stores the page's links and checks whether the visitor was signed out. */
  #look(visitor: Visitor, page: Page | null, person: Person): void {
    if (page === null) return;
    if (new URL(page.url).pathname.startsWith('/signin')) {
      this.#context.journal.note({ ...page.sent, label: 'redirected to sign-in' }, page.answer);
      Object.assign(visitor, { isGone: true });
    }
    if (person === 'stranger' || page.answer.status !== 200) return;
    const found = page.text.matchAll(
      /\b(?:href|src|action|formaction|data-[a-z-]+)="(\/console[^"]*)"/g,
    );
    for (const [, address = ''] of found) {
      if (!address.startsWith('/console/assets/')) this.#keep(address.replaceAll('&amp;', '&'));
    }
  }

  #keep(address: string): void {
    const pattern = patternOf(address);
    const known = this.#addresses.get(pattern) ?? [];
    if (known.includes(address) || (known.length === 0 && this.#addresses.size >= PATTERNS_MAX)) {
      return;
    }
    if (known.length < ADDRESSES_MAX) known.push(address);
    else known[address.length % ADDRESSES_MAX] = address;
    this.#addresses.set(pattern, known);
  }

  #fill(random: Random, form: PostedForm): RequestBody {
    const buttons = form.controls.filter(({ type }) => type === 'button');
    const pressed = buttons.length === 0 ? [] : [random.pick(buttons)];
    const names = [...new Set(form.controls.map(({ name }) => name))];
    const right: Fields = names.flatMap((name) => {
      const same = form.controls.filter((control) => control.name === name);
      return this.#valuesOf(random, same, pressed).map((value): [string, string] => [name, value]);
    });
    const wrongs = random.pick([0, 0, 1, 1, 2]);
    let fields = right;
    for (let count = 0; count < wrongs; count++) {
      // Usually keep the form token, because without it the form is refused before it is read.
      const others = fields.filter(([name]) => name !== 'form_token');
      const token = fields.filter(([name]) => name === 'form_token');
      fields = random.chance(92)
        ? [...token, ...mutateFields(random, others)]
        : mutateFields(random, fields);
    }
    if (form.isMultipart) {
      const [type, bytes] = random.pick(this.#pictures);
      const field = form.controls.find((control) => control.type === 'file')?.name ?? 'file';
      return encodeMultipart(random, fields, { field, fileName: 'card.jpg', type, bytes });
    }
    const load = encodeForm(fields);
    return wrongs > 0 && random.chance(8)
      ? { ...load, body: mutateBytes(random, load.body) }
      : load;
  }

  #valuesOf(
    random: Random,
    same: readonly FormControl[],
    pressed: readonly FormControl[],
  ): string[] {
    const [first] = same;
    if (first === undefined) return [];
    switch (first.type) {
      case 'button':
        return pressed.filter(({ name }) => name === first.name).map(({ value }) => value);
      case 'radio':
        return [random.pick(same).value];
      case 'checkbox':
        return same
          .filter(({ isChecked }) => (random.chance(60) ? isChecked : random.chance(50)))
          .map(({ value }) => (value === '' ? 'on' : value));
      case 'select':
        return [random.pick(first.choices.length > 0 ? first.choices : [first.value])];
      case 'file':
        return [];
      case 'hidden':
        return [first.value === '' ? this.#text(random, first.name) : first.value];
      default:
        return [
          random.chance(40) && first.value !== '' ? first.value : this.#text(random, first.name),
        ];
    }
  }

  /** Returns typical input for a field of this name. */
  #text(random: Random, name: string): string {
    const { scene, pools } = this.#context;
    if (/price|cost/.test(name)) return random.pick(['1,200', '900', '0', '']);
    if (/quantity|count|left/.test(name)) return random.pick(['1', '3', '12', '']);
    if (/starts|ends|since|until|from|to$/.test(name)) {
      return random.pick(['2026-12-01T10:00', '2031-01-01', '']);
    }
    if (/email/.test(name)) return `p${random.below(40)}@demo.example`;
    if (/redirect/.test(name)) return scene.redirectUri;
    if (/^(?:card|product|grade|site|location|unit)$/.test(name)) return pools.id(random, name);
    if (/password|old|new|again/.test(name)) return scene.password;
    if (/country/i.test(name)) return 'JP';
    if (/zone/i.test(name)) return 'Asia/Tokyo';
    if (/^(?:q|search)$/.test(name)) return random.pick(['アルバ', 'alba', '012']);
    return random.pick(['x1', '棚 B', 'PSA 10', 'Hana', '']);
  }
}

const NAMES = 'q status cursor sort since site place page limit what who by card __proto__'.split(
  ' ',
);

/** Returns the address with a changed path segment or query. */
function mutateAddress(random: Random, address: string): string {
  const [path = '', query = ''] = address.split('?');
  const steps = path.split('/');
  const at = 2 + random.below(Math.max(steps.length - 2, 1));
  if (random.chance(40)) {
    const changed = random.pick([
      mutateText(random, steps[at] ?? ''),
      random.uuid(),
      'new',
      'front',
    ]);
    const raw = random.pick(['%zz', '%00', '..', '%2e%2e%2f']);
    const step = random.chance(80)
      ? encodeURIComponent(changed.toWellFormed()).slice(0, 3_000)
      : raw;
    return steps.with(Math.min(at, steps.length - 1), step).join('/') || '/';
  }
  const more = Array.from({ length: 1 + random.below(3) }, () => {
    const value = random.chance(50)
      ? pickHostileText(random)
      : random.pick(['1', '-1', 'アルバ', random.uuid(), '2026-01-01']);
    return `${random.pick(NAMES)}=${encodeURIComponent(value.toWellFormed()).slice(0, 2_000)}`;
  });
  return `${path}?${[query, ...more].filter((part) => part !== '').join('&')}`;
}
