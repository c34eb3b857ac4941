/** A page as a browser without scripts sees it. */
export interface VisitedPage {
  readonly status: number;
  /** The page's address, or the redirect target if that is on another origin. */
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

export interface PageForm {
  readonly action: string;
  /** The fields that a browser would send if the person changed nothing. */
  readonly fields: Readonly<Record<string, string>>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** Maximum number of redirects. */
const REDIRECTS_MAX = 10;

/**
 * A browser without scripts. It keeps cookies by path, follows redirects within its origin, and
 * sends forms as they are in the page.
 */
export class PlainBrowser {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  cookies: Cookie[] = [];

  constructor(origin: string, headers: Readonly<Record<string, string>> = {}) {
    this.#origin = new URL(origin).origin;
    this.#headers = headers;
  }

  async visit(address: string): Promise<VisitedPage> {
    return await this.#follow('GET', address, null);
  }

  /** Sends a form. `fields` are added to the page's fields or replace them. */
  async submit(
    page: VisitedPage,
    form: PageForm,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<VisitedPage> {
    const body = new URLSearchParams({ ...form.fields, ...fields });
    return await this.#follow('POST', new URL(form.action, page.url).href, body);
  }

  async #follow(
    method: string,
    address: string,
    body: URLSearchParams | null,
  ): Promise<VisitedPage> {
    let response = await this.#send(method, address, body);
    let url = address;
    for (let count = 0; count < REDIRECTS_MAX; count++) {
      const location = response.headers.get('location');
      if (location === null) break;
      url = new URL(location, url).href;
      if (new URL(url).origin !== this.#origin) break;
      response = await this.#send('GET', url, null);
    }
    return { status: response.status, url, text: await response.text(), headers: response.headers };
  }

  async #send(method: string, address: string, body: URLSearchParams | null): Promise<Response> {
    const { pathname } = new URL(address);
    const cookie = this.cookies
      .filter(({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      headers: { ...this.#headers, ...(cookie === '' ? {} : { cookie }) },
      ...(body === null ? {} : { body }),
    });
    for (const line of response.headers.getSetCookie()) this.#storeCookie(line);
    return response;
  }

  #storeCookie(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const separator = pair.indexOf('=');
    const named = new Map(
      attributes.map((text): [string, string] => {
        const [key = '', value = ''] = text.split('=');
        return [key.toLowerCase(), value];
      }),
    );
    const cookie = {
      name: pair.slice(0, separator),
      value: pair.slice(separator + 1),
      path: named.get('path') ?? '/',
    };
    this.cookies = this.cookies.filter(
      ({ name, path }) => name !== cookie.name || path !== cookie.path,
    );
    const expires = named.get('expires');
    const isOver =
      named.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) < Date.now());
    if (!isOver) this.cookies.push(cookie);
  }
}

/** Matches the target of sign-in forms: on the sign-in page, and during an authorization. */
export const SIGN_IN = /\/sign-?in$/;
/** The target of a consent form, which sends a `decision`. */
export const CONSENT = /\/auth\/interaction\/[^/]+$/;

/**
 * Returns the form that posts to this path (a suffix or a pattern) with these fields, as inputs or
 * as a button's value. Throws if there is none.
 */
export function formTo(
  page: VisitedPage,
  path: string | RegExp,
  sent: Readonly<Record<string, string>> = {},
): PageForm {
  const found = findForm(page, path, sent);
  if (found === undefined) {
    throw new Error(`no form to ${String(path)} on ${page.status} ${page.text}`);
  }
  return found;
}

/** Returns whether `formTo` would find a form. */
export function hasFormTo(
  page: VisitedPage,
  path: string | RegExp,
  sent: Readonly<Record<string, string>> = {},
): boolean {
  return findForm(page, path, sent) !== undefined;
}

function findForm(
  page: VisitedPage,
  path: string | RegExp,
  sent: Readonly<Record<string, string>>,
): PageForm | undefined {
  for (const [, attributes = '', content = ''] of page.text.matchAll(
    /<form([^>]*)>([\s\S]*?)<\/form>/g,
  )) {
    const action = attribute(attributes, 'action') ?? page.url;
    const { pathname } = new URL(action, page.url);
    const isThere = typeof path === 'string' ? pathname.endsWith(path) : path.test(pathname);
    if (attribute(attributes, 'method') !== 'post' || !isThere) continue;
    const fields = { ...inputsOf(content), ...othersOf(content) };
    for (const [, button = ''] of content.matchAll(/<button([^>]*)>/g)) {
      const [name = '', value = ''] = [attribute(button, 'name'), attribute(button, 'value')];
      if (name !== '' && sent[name] === value) fields[name] = value;
    }
    if (Object.entries(sent).every(([name, value]) => fields[name] === value)) {
      return { action, fields };
    }
  }
  return undefined;
}

/** Returns the inputs that a browser sends. Unchecked boxes are not sent. */
function inputsOf(content: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, input = ''] of content.matchAll(/<input([^>]*)>/g)) {
    const name = attribute(input, 'name');
    const isBox = /\btype="(?:checkbox|radio)"/.test(input);
    if (name === undefined || (isBox && !/\schecked(?=[\s/]|$)/.test(input))) continue;
    fields[name] = attribute(input, 'value') ?? (isBox ? 'on' : '');
  }
  return fields;
}

function othersOf(content: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, select = '', options = ''] of content.matchAll(
    /<select([^>]*)>([\s\S]*?)<\/select>/g,
  )) {
    const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, option = '']) => option);
    const chosen = all.find((option) => /\sselected(?=[\s/]|$)/.test(option)) ?? all[0] ?? '';
    fields[attribute(select, 'name') ?? ''] = attribute(chosen, 'value') ?? '';
  }
  for (const [, area = '', text = ''] of content.matchAll(
    /<textarea([^>]*)>\n?([\s\S]*?)<\/textarea/g,
  )) {
    fields[attribute(area, 'name') ?? ''] = unescape(text);
  }
  return fields;
}

function attribute(text: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
  return value === undefined ? undefined : unescape(value);
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
