import type { Database } from '../src/database/database.ts';
import { startSession } from '../src/shops/session.ts';

/** A response. Redirects are not followed. */
export interface BrowserResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface PostOptions {
  /** Replaces the browser's form token. Null leaves the token out. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** An image that is sent after the fields, in a multipart form. */
  readonly file?: { readonly name: string; readonly bytes: Buffer };
}

/** A signed-in browser whose requests a test controls completely. */
export class RawBrowser {
  readonly #origin: string;
  readonly cookies: Map<string, string>;
  token = '';

  constructor(origin: string, cookies: Iterable<readonly [string, string]> = []) {
    this.#origin = origin;
    this.cookies = new Map(cookies);
  }

  /** Signs an account in, and reads the form token. */
  static async open(
    { publicUrl }: { readonly publicUrl: string },
    db: Database,
    accountId: string,
  ): Promise<RawBrowser> {
    const { secret } = await startSession(db, accountId, new Date());
    const browser = new RawBrowser(publicUrl, [['cardport_session', secret]]);
    const { text } = await browser.get('/console/account');
    browser.token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    if (browser.token === '') throw new Error(`no form on the account page: ${text}`);
    return browser;
  }

  async get(path: string): Promise<BrowserResponse> {
    return await this.#send('GET', path, {}, null);
  }

  async post(
    path: string,
    fields: Readonly<Record<string, string>> = {},
    { token = this.token, headers = {}, file }: PostOptions = {},
  ): Promise<BrowserResponse> {
    const sentFields = token === null ? fields : { form_token: token, ...fields };
    if (file === undefined) {
      return await this.#send('POST', path, headers, new URLSearchParams(sentFields));
    }
    const parts = new FormData();
    for (const [name, value] of Object.entries(sentFields)) parts.append(name, value);
    parts.append('photo', new Blob([new Uint8Array(file.bytes)], { type: 'image/png' }), file.name);
    return await this.#send('POST', path, headers, parts);
  }

  async #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: URLSearchParams | FormData | null,
  ): Promise<BrowserResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${this.#origin}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
      ...(body === null ? {} : { body }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}
