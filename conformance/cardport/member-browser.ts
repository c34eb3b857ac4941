/** A page as a browser without scripts sees it. */
interface Page {
  readonly status: number;
  readonly url: string;
  readonly text: string;
}

interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** The member's decision. */
export type Decision = 'allow' | 'deny';

/** The maximum number of redirects and pages in one approval. */
const STEPS_MAX = 10;

/**
 * A member's browser without scripts. It signs in once and keeps its cookies, so that a later
 * approval shows only one page.
 */
export class MemberBrowser {
  readonly #email: string;
  readonly #password: string;
  #cookies: readonly Cookie[] = [];

  constructor(email: string, password: string) {
    this.#email = email;
    this.#password = password;
  }

  /**
   * Follows an authorization request to the app's redirect URI and returns it without requesting
   * it. Returns null when a page refuses the request.
   */
  async decide(authorizationUrl: string, decision: Decision): Promise<string | null> {
    const { origin } = new URL(authorizationUrl);
    let page = await this.#send('GET', authorizationUrl, null);
    for (let step = 0; step < STEPS_MAX; step++) {
      if (new URL(page.url).origin !== origin) return page.url;
      const signIn = formWith(page, '<input', 'password');
      const consent = formWith(page, '<button', 'decision', decision);
      const form = signIn ?? consent;
      if (form === null) {
        if (page.status >= 400) return null;
        throw new Error(
          `the page has neither a sign-in form nor an approval form: ${page.status} at ${page.url}`,
        );
      }
      const typed = signIn === null ? {} : { email: this.#email, password: this.#password };
      const body = new URLSearchParams({ ...form.fields, ...typed });
      page = await this.#send('POST', new URL(form.action, page.url).href, body);
    }
    throw new Error('the approval took too many pages');
  }

  /** Sends a request and follows redirects within the origin. */
  async #send(method: string, address: string, body: URLSearchParams | null): Promise<Page> {
    const { origin } = new URL(address);
    let url = address;
    let response = await this.#fetch(method, url, body);
    for (let count = 0; count < STEPS_MAX; count++) {
      const location = response.headers.get('location');
      if (location === null) break;
      await response.arrayBuffer();
      url = new URL(location, url).href;
      if (new URL(url).origin !== origin) return { status: response.status, url, text: '' };
      response = await this.#fetch('GET', url, null);
    }
    return { status: response.status, url, text: await response.text() };
  }

  async #fetch(method: string, url: string, body: URLSearchParams | null): Promise<Response> {
    const { pathname } = new URL(url);
    const cookie = this.#cookies
      .filter(({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { 'Accept-Language': 'en', ...(cookie === '' ? {} : { Cookie: cookie }) },
      ...(body === null ? {} : { body }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const mark = pair.indexOf('=');
    const path = attributes.find((text) => /^path=/i.test(text))?.slice('path='.length) ?? '/';
    const name = pair.slice(0, mark);
    const others = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    this.#cookies = [...others, { name, value: pair.slice(mark + 1), path }];
  }
}

/** Returns the form that has this button, with the fields that the button submits. */
function formWith(
  { text, url }: Page,
  start: '<input' | '<button',
  name: string,
  value?: string,
): Form | null {
  for (const [, attributes = '', content = ''] of text.matchAll(
    /<form([^>]*)>([\s\S]*?)<\/form>/g,
  )) {
    const tags = content.match(/<(?:input|button)[^>]*>/g) ?? [];
    const found = tags.find(
      (tag) =>
        tag.startsWith(start) &&
        attributeOf(tag, 'name') === name &&
        (value === undefined || attributeOf(tag, 'value') === value),
    );
    if (found === undefined) continue;
    const fields: Record<string, string> = {};
    for (const element of [...tags.filter((tag) => tag.startsWith('<input')), found]) {
      const key = attributeOf(element, 'name');
      if (key !== null) fields[key] = attributeOf(element, 'value') ?? '';
    }
    return { action: attributeOf(attributes, 'action') ?? url, fields };
  }
  return null;
}

function attributeOf(element: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(element)?.[1];
  if (value === undefined) return null;
  return value
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
