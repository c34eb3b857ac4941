import type { HttpResponse } from './response.ts';
import type { RequestSpec } from './send.ts';
import type { TargetApp } from './target.ts';
import type { OAuthClient } from './oauth.ts';

/** The response of the token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly scope: string;
}

/** Query parameters. Null omits a parameter, and a list repeats it. */
export type Query = Readonly<Record<string, string | number | readonly string[] | null>>;

/** An app with an access token, which calls the endpoints of specification 4. */
export class Caller {
  readonly app: TargetApp;
  readonly oauth: OAuthClient;
  readonly tokens: Tokens;
  readonly #baseUrl: string;
  readonly #send: (request: RequestSpec) => Promise<HttpResponse>;

  constructor(
    baseUrl: string,
    app: { readonly app: TargetApp; readonly oauth: OAuthClient },
    tokens: Tokens,
    send: (request: RequestSpec) => Promise<HttpResponse>,
  ) {
    this.#baseUrl = baseUrl;
    this.app = app.app;
    this.oauth = app.oauth;
    this.tokens = tokens;
    this.#send = send;
  }

  async get(
    path: string,
    query: Query = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse> {
    return await this.call('GET', `${path}${queryOf(query)}`, { headers });
  }

  async put(path: string, value: unknown): Promise<HttpResponse> {
    return await this.call('PUT', path, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(value),
    });
  }

  async post(path: string): Promise<HttpResponse> {
    return await this.call('POST', path);
  }

  async delete(path: string): Promise<HttpResponse> {
    return await this.call('DELETE', path);
  }

  /** Sends any request with the token, unless `headers` has another Authorization. */
  async call(
    method: string,
    path: string,
    more: Pick<RequestSpec, 'headers' | 'body'> = {},
  ): Promise<HttpResponse> {
    return await this.#send({
      ...more,
      method,
      url: `${this.#baseUrl}${path}`,
      headers: { Authorization: `Bearer ${this.tokens.accessToken}`, ...more.headers },
    });
  }
}

function queryOf(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null) continue;
    const values = typeof value === 'string' || typeof value === 'number' ? [String(value)] : value;
    for (const each of values) parameters.append(name, each);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
