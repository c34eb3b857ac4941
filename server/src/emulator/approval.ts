import { unescapeHtml } from '../base/unescape-html.ts';
import type { Unprocessable } from './admin-call.ts';

/** The maximum number of pages and redirects of an approval. A normal approval has five. */
const STEPS_MAX = 12;
/** The maximum time for one page. A sign-in takes about 50 ms. */
const PAGE_MS_MAX = 20_000;

export interface Decision {
  readonly email: string;
  readonly password: string;
  readonly decision: 'allow' | 'deny';
}

export interface ApprovalSite {
  /** The origin of the URLs in pages and redirects. */
  readonly publicUrl: string;
  /** The URL of the service. Requests to it bypass the faults and the log. */
  readonly serviceUrl: string;
}

export type ApprovalResult =
  | { readonly kind: 'redirected'; readonly redirectUrl: string }
  | Unprocessable;

/** Submits the real sign-in and consent pages as a person would (spec 5.3, steps 2 and 3). */
export async function approve(
  { publicUrl, serviceUrl }: ApprovalSite,
  authorizationUrl: string,
  person: Decision,
): Promise<ApprovalResult> {
  const cookies = new Map<string, string>();
  const isOurs = (url: URL): boolean => [publicUrl, serviceUrl].includes(url.origin);
  let url = new URL(authorizationUrl);
  if (!isOurs(url)) {
    return { kind: 'unprocessable', detail: `authorizationUrl must begin with ${publicUrl}.` };
  }
  let form: URLSearchParams | null = null;
  for (let step = 0; step < STEPS_MAX; step++) {
    const response = await fetch(`${serviceUrl}${url.pathname}${url.search}`, {
      method: form === null ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: renderCookies(cookies), 'accept-language': 'en' },
      signal: AbortSignal.timeout(PAGE_MS_MAX),
      ...(form === null ? {} : { body: form }),
    });
    storeCookies(cookies, response.headers.getSetCookie());
    const location = response.headers.get('location');
    const page = await response.text();
    if (location !== null) {
      url = new URL(location, url);
      form = null;
      if (!isOurs(url)) return { kind: 'redirected', redirectUrl: url.href };
      continue;
    }
    const filled = fillForm(page, person);
    if (filled === null) {
      return {
        kind: 'unprocessable',
        detail: `The service responded with ${response.status}: ${readRefusal(page)}`,
      };
    }
    url = new URL(filled.action, url);
    form = filled.fields;
  }
  return { kind: 'unprocessable', detail: `The approval did not end after ${STEPS_MAX} pages.` };
}

/** The title and the alert are for the person; the code and description are for the developer. */
function readRefusal(page: string): string {
  const title = /<title>([^<]*)<\/title>/.exec(page)?.[1] ?? 'no page';
  const alert = /<p[^>]*role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(page)?.[1];
  const details = /<p[^>]*>(<code>\w+<\/code>: [^<]*)<\/p>/.exec(page)?.[1];
  return [`${title}.`, alert, details]
    .filter((part) => part !== undefined)
    .map((part) => unescapeHtml(part.replaceAll(/<[^>]*>/g, '').trim()))
    .join(' ');
}

/** Fills in the sign-in or consent form of a page. Returns null if there is none. */
function fillForm(
  page: string,
  { email, password, decision }: Decision,
): { readonly action: string; readonly fields: URLSearchParams } | null {
  // After a failed sign-in, the page shows the form again with the reason. Do not try again.
  if (page.includes('role="alert"')) return null;
  for (const [, attributes = '', content = ''] of page.matchAll(
    /<form([^>]*)>([\s\S]*?)<\/form>/g,
  )) {
    const fields = new URLSearchParams();
    for (const [, input = ''] of content.matchAll(/<input([^>]*)>/g)) {
      const name = attributeOf(input, 'name');
      if (name !== null) fields.set(name, attributeOf(input, 'value') ?? '');
    }
    const action = attributeOf(attributes, 'action') ?? '';
    if (fields.has('password')) {
      fields.set('email', email);
      fields.set('password', password);
      return { action, fields };
    }
    if (content.includes(`name="decision" value="${decision}"`)) {
      fields.set('decision', decision);
      return { action, fields };
    }
  }
  return null;
}

function attributeOf(text: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
  return value === undefined ? null : unescapeHtml(value);
}

function storeCookies(cookies: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [pair = ''] = line.split(';');
    const separator = pair.indexOf('=');
    cookies.set(pair.slice(0, separator), pair.slice(separator + 1));
  }
}

function renderCookies(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}
