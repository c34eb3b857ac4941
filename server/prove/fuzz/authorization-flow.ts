import { createHash } from 'node:crypto';
import { formsOf } from '../../test/console-forms.ts';
import { isObject } from '../../test/docs-shape.ts';
import { Browser, type Page, urlEncoded } from './browser.ts';
import type { Answer, SentRequest } from './journal.ts';
import { HOSTILE_TEXTS, mutateText } from './mutation.ts';
import type { Random } from './random.ts';
import type { AppName, Client, Person } from './scene.ts';
import type { Tools } from './tools.ts';

/** Pairs of a form or query, in their order; names may come twice. */
export type Fields = (readonly [string, string])[];

/** An authorization request with what its app keeps until the answer. */
export interface AuthorizationRequest {
  readonly app: AppName;
  readonly client: Client;
  readonly verifier: string;
  readonly fields: Fields;
}

/** What the token endpoint may say. */
export const TOKEN_STATUSES = [200, 400, 401, 404, 405, 408, 413, 415, 417, 429, 431];

/** What a client library might add or an attacker try. */
const EXTRAS: Fields = [
  ['prompt', 'none'],
  ['prompt', 'login'],
  ['prompt', 'select_account consent'],
  ['max_age', '0'],
  ['max_age', '-1'],
  ['nonce', 'n-0S6_WzA2Mj'],
  ['response_mode', 'form_post'],
  ['response_mode', 'fragment'],
  ['response_mode', 'query'],
  ['request', 'eyJhbGciOiJub25lIn0.e30.'],
  ['request_uri', 'https://foreign.example/r'],
  ['registration', '{}'],
  ['claims', '{"id_token":{"email":null}}'],
  ['claims', '{'],
  ['id_token_hint', 'x.y.z'],
  ['login_hint', 'hana@demo.example'],
  ['acr_values', '1'],
  ['ui_locales', 'ja en'],
  ['display', 'popup'],
  ['client_secret', 'cps_x'],
  ['client_assertion', 'x'],
  ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
  ['dpop_jkt', 'x'],
  ['resource', 'https://foreign.example/'],
  ['scope', 'openid'],
];

/** One thing wrong in the parameters: left out, twice, changed or more of them. */
export function mutateFields(random: Random, fields: Fields): Fields {
  if (fields.length === 0) return [random.pick(EXTRAS)];
  const at = random.below(fields.length);
  const [name, value] = fields[at] ?? ['x', 'y'];
  switch (random.below(6)) {
    case 0:
      return fields.filter((_, other) => other !== at);
    case 1:
      return [...fields, [name, value]];
    case 2:
      return [...fields, random.pick(EXTRAS)];
    case 3:
      return [...fields, [random.pick(HOSTILE_TEXTS).slice(0, 300), value]];
    default:
      return fields.with(at, [name, mutateText(random, value).slice(0, 9_000)]);
  }
}

/** The authorization code flow as an app and a member's browser go through it. */
export class AuthorizationFlow {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  request(random: Random, app: AppName): AuthorizationRequest {
    const { scene, origin } = this.#tools;
    const client = scene.client(app);
    const verifier = random.bytes(32).toString('base64url');
    const wanted = client.scopes.filter((scope) => scope === 'offline_access' || random.chance(85));
    const fields: Fields = [
      ['response_type', 'code'],
      ['client_id', client.clientId],
      ['redirect_uri', scene.redirectUri],
      ['scope', (wanted.length > 0 ? wanted : client.scopes).join(' ')],
      ['state', random.bytes(8).toString('base64url')],
      ['code_challenge', createHash('sha256').update(verifier).digest('base64url')],
      ['code_challenge_method', 'S256'],
      ['resource', `${origin}/partner/v1`],
    ];
    return { app, client, verifier, fields };
  }

  /** Opens the request in a browser of its own: the page of consent when all is well. */
  async open(
    caseName: string,
    fields: Fields,
    person: Person | null,
  ): Promise<[Browser, Page | null]> {
    const { scene } = this.#tools;
    const session = person === null ? null : await scene.signIn(person);
    const browser = new Browser(this.#tools, 'oauth', session);
    const query = urlEncoded(fields).body.toString();
    return [browser, await browser.go(caseName, 'GET', `/auth/oauth2/authorize?${query}`)];
  }

  /** Presses Allow or Deny; the code, or null when the app was given none. */
  async decide(
    caseName: string,
    browser: Browser,
    page: Page | null,
    decision: string,
  ): Promise<string | null> {
    const form = formsOf(page?.text ?? '').find(({ controls }) =>
      controls.some(({ name }) => name === 'decision'),
    );
    if (form === undefined) return null;
    const hidden = form.controls.filter(({ type }) => type === 'hidden');
    const fields = hidden.map(({ name, value }): [string, string] => [name, value]);
    const load = urlEncoded([...fields, ['decision', decision]]);
    const back = await browser.go(caseName, 'POST', form.action, load);
    return back === null ? null : new URL(back.url).searchParams.get('code');
  }

  exchangeFields({ verifier }: Pick<AuthorizationRequest, 'verifier'>, code: string): Fields {
    const { scene, origin } = this.#tools;
    return [
      ['grant_type', 'authorization_code'],
      ['code', code],
      ['redirect_uri', scene.redirectUri],
      ['code_verifier', verifier],
      ['resource', `${origin}/partner/v1`],
    ];
  }

  /** Sends a request of an app to the token or revocation endpoint. */
  async post(
    caseName: string,
    path: string,
    client: Pick<Client, 'clientId' | 'secret'>,
    fields: Fields,
    more: Readonly<Record<string, string>> = {},
  ): Promise<[SentRequest, Answer | null]> {
    const { wire, judge } = this.#tools;
    const load = urlEncoded(fields);
    const basic = Buffer.from(`${client.clientId}:${client.secret}`).toString('base64');
    const sent: SentRequest = {
      area: 'oauth',
      caseName,
      label: `POST ${path}`,
      method: 'POST',
      path,
      headers: { authorization: `Basic ${basic}`, 'content-type': load.type, ...more },
      body: load.body,
    };
    const answer = await wire.send(sent);
    if (answer !== null) judge.check(sent, answer, TOKEN_STATUSES);
    return [sent, answer];
  }
}

/** The tokens of a good answer; null of any other. */
export function tokensOf(answer: Answer | null): { access: string; refresh: string | null } | null {
  if (answer?.status !== 200) return null;
  const body: unknown = JSON.parse(answer.body.toString());
  if (!isObject(body) || typeof body['access_token'] !== 'string') return null;
  const refresh = body['refresh_token'];
  return { access: body['access_token'], refresh: typeof refresh === 'string' ? refresh : null };
}
