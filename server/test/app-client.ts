import { createHash, randomBytes } from 'node:crypto';
import { formTo, PlainBrowser, type VisitedPage, SIGN_IN, CONSENT } from './plain-browser.ts';
import type { SeededShop, TestService } from './service.ts';

export interface TokenAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly body: TokenBody;
}

export interface TokenBody {
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly token_type?: string;
  readonly expires_in?: number;
  readonly scope?: string;
  readonly error?: string;
  readonly error_description?: string;
}

export const ALL_SCOPES = 'openid profile offline_access purchase-boosts:read inventory:read';

export type ServiceAddresses = Pick<TestService, 'url' | 'authUrl' | 'partnerUrl'>;

/** An app that builds each request by hand, so that a test can send invalid ones. */
export class AppClient {
  readonly service: ServiceAddresses;
  readonly seeded: SeededShop;
  readonly verifier = randomBytes(32).toString('base64url');

  constructor(service: ServiceAddresses, seeded: SeededShop) {
    this.service = service;
    this.seeded = seeded;
  }

  /** Returns the URL of an authorization request. A null parameter is left out. */
  authorizationUrl(changes: Readonly<Record<string, string | null>> = {}): string {
    const parameters: Record<string, string | null> = {
      response_type: 'code',
      client_id: this.seeded.app.clientId,
      redirect_uri: this.seeded.redirectUri,
      scope: ALL_SCOPES,
      state: 'the state',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: this.service.partnerUrl,
      ...changes,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== null) query.set(name, value);
    }
    return `${this.service.authUrl}/oauth2/authorize?${query.toString()}`;
  }

  /** Signs in as the seeded member and allows access. Returns the redirect target. */
  async approve(changes: Readonly<Record<string, string | null>> = {}): Promise<URL> {
    const browser = new PlainBrowser(this.service.url);
    const page = await signInOn(browser, this.authorizationUrl(changes), this.seeded);
    const last = await browser.submit(page, formTo(page, CONSENT, { decision: 'allow' }));
    return new URL(last.url);
  }

  /** Approves the app and returns the authorization code. */
  async code(changes: Readonly<Record<string, string | null>> = {}): Promise<string> {
    const target = await this.approve(changes);
    const code = target.searchParams.get('code');
    if (code === null) throw new Error(`no code: ${target.href}`);
    return code;
  }

  /** Approves the app and returns the tokens. */
  async tokens(
    changes: Readonly<Record<string, string | null>> = {},
  ): Promise<TokenBody & { readonly access_token: string; readonly refresh_token: string }> {
    const { body, text } = await this.exchange(await this.code(changes));
    const { access_token, refresh_token } = body;
    if (access_token === undefined) throw new Error(`no token: ${text}`);
    return { ...body, access_token, refresh_token: refresh_token ?? '' };
  }

  async exchange(
    code: string,
    changes: Readonly<Record<string, string | null>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    const parameters = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.seeded.redirectUri,
      code_verifier: this.verifier,
      resource: this.service.partnerUrl,
      ...changes,
    };
    return await this.post('token', parameters, headers);
  }

  async refresh(
    token: string,
    changes: Readonly<Record<string, string | null>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    const parameters = {
      grant_type: 'refresh_token',
      refresh_token: token,
      resource: this.service.partnerUrl,
      ...changes,
    };
    return await this.post('token', parameters, headers);
  }

  async revoke(
    token: string,
    changes: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    return await this.post('revoke', { token, ...changes });
  }

  async post(
    endpoint: 'token' | 'revoke',
    parameters: Readonly<Record<string, string | null>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== null) body.set(name, value);
    }
    return await this.send(endpoint, body.toString(), headers);
  }

  /** Sends a body unchanged. Empty headers are left out. */
  async send(
    endpoint: 'token' | 'revoke',
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    const all = {
      authorization: this.basic(),
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    };
    const answer = await fetch(`${this.service.authUrl}/oauth2/${endpoint}`, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      body: new Uint8Array(Buffer.from(body)),
    });
    const text = await answer.text();
    return { status: answer.status, text, headers: answer.headers, body: parse(text) };
  }

  basic(secret = this.seeded.clientSecret): string {
    return `Basic ${btoa(`${this.seeded.app.clientId}:${secret}`)}`;
  }

  async call(method: string, path: string, token: string): Promise<TokenAnswer> {
    const answer = await fetch(`${this.service.partnerUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await answer.text();
    return { status: answer.status, text, headers: answer.headers, body: parse(text) };
  }
}

/** Opens an authorization request and signs in. Returns the consent page. */
export async function signInOn(
  browser: PlainBrowser,
  address: string,
  person: { readonly email: string; readonly password: string },
): Promise<VisitedPage> {
  const page = await browser.visit(address);
  const form = formTo(page, SIGN_IN);
  return await browser.submit(page, form, { email: person.email, password: person.password });
}

function parse(text: string): TokenBody {
  return text.startsWith('{') ? (JSON.parse(text) as TokenBody) : {};
}
