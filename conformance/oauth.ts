import { createHash, randomBytes } from 'node:crypto';
import type { HttpResponse } from './response.ts';
import type { RequestSpec } from './send.ts';
import type { Target, TargetApp } from './target.ts';

/** An authorization request, and the values that its app keeps until the browser returns (5.3). */
export interface AuthorizationRequest {
  readonly url: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** Parameters to change; null omits one. */
export type Changes = Readonly<Record<string, string | null>>;

/** All scopes of 5.2. */
export const ALL_SCOPES = 'openid profile offline_access purchase-boosts:read inventory:read';
/** The scopes that most tests ask for. */
export const READ_SCOPES = 'offline_access purchase-boosts:read inventory:read';

/** An app in the authorization flow of 5.3. A test can make it send invalid requests. */
export class OAuthClient {
  readonly #target: Target;
  readonly #app: TargetApp;
  readonly #send: (request: RequestSpec) => Promise<HttpResponse>;

  constructor(
    target: Target,
    app: TargetApp,
    send: (request: RequestSpec) => Promise<HttpResponse>,
  ) {
    this.#target = target;
    this.#app = app;
    this.#send = send;
  }

  /** Creates an authorization request (5.3, steps 1 and 2). */
  request(changes: Changes = {}): AuthorizationRequest {
    const codeVerifier = randomBytes(32).toString('base64url');
    const state = randomBytes(16).toString('base64url');
    const parameters = {
      response_type: 'code',
      client_id: this.#app.clientId,
      redirect_uri: this.#app.redirectUri,
      scope: READ_SCOPES,
      state,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: this.#target.baseUrl,
      ...changes,
    };
    return {
      url: `${this.#target.authUrl}/oauth2/authorize?${encode(parameters)}`,
      state: changes['state'] ?? state,
      codeVerifier,
    };
  }

  /**
   * Returns the first response of the authorization endpoint, without a sign-in and without
   * following redirects.
   */
  async open(request: AuthorizationRequest): Promise<HttpResponse> {
    return await this.#send({ method: 'GET', url: request.url });
  }

  /** Exchanges a code for tokens (5.3, step 4). */
  async exchange(
    code: string,
    request: AuthorizationRequest,
    changes: Changes = {},
    headers: Changes = {},
  ): Promise<HttpResponse> {
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.#app.redirectUri,
      code_verifier: request.codeVerifier,
      resource: this.#target.baseUrl,
      ...changes,
    };
    return await this.post('token', fields, headers);
  }

  /** Refreshes the tokens (5.4; the parameters are in decision 8). */
  async refresh(
    token: string,
    changes: Changes = {},
    headers: Changes = {},
  ): Promise<HttpResponse> {
    const fields = {
      grant_type: 'refresh_token',
      refresh_token: token,
      resource: this.#target.baseUrl,
      ...changes,
    };
    return await this.post('token', fields, headers);
  }

  /** Revokes a token (RFC 7009 §2.1). */
  async revoke(token: string, changes: Changes = {}, headers: Changes = {}): Promise<HttpResponse> {
    return await this.post('revoke', { token, ...changes }, headers);
  }

  /** Posts a form with the app's own credentials, unless `headers` has others. */
  async post(
    endpoint: 'token' | 'revoke',
    fields: Changes,
    headers: Changes = {},
  ): Promise<HttpResponse> {
    const all: Changes = {
      Authorization: basicAuthorization(this.#app.clientId, this.#app.clientSecret),
      'Content-Type': 'application/x-www-form-urlencoded',
      ...headers,
    };
    const sentHeaders: Record<string, string> = {};
    for (const [name, value] of Object.entries(all)) if (value !== null) sentHeaders[name] = value;
    return await this.#send({
      method: 'POST',
      url: `${this.#target.authUrl}/oauth2/${endpoint}`,
      headers: sentHeaders,
      body: encode(fields),
    });
  }
}

/** 5.3: `Basic` and the base64 of `<url-encoded client id>:<url-encoded client secret>`. */
export function basicAuthorization(clientId: string, clientSecret: string): string {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function encode(parameters: Changes): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) query.set(name, value);
  }
  return query.toString();
}
