import { createHash } from 'node:crypto';
import { formsOf } from '../../test/console-forms.ts';
import { isObject } from '../../test/docs-shape.ts';
import { Browser, type Page, encodeForm } from './browser.ts';
import type { Answer, SentRequest } from './journal.ts';
import { HOSTILE_TEXTS, mutateText } from './mutation.ts';
import type { Random } from './random.ts';
import type { AppName, Client, Person } from './scene.ts';
import type { CaseContext } from './case-context.ts';

/** Fields of a form or query, in order; names may repeat. */
export type Fields = (readonly [string, string])[];

/** An authorization request, and what its app needs to exchange the code. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly verifier: string;
  readonly fields: Fields;
}

export const TOKEN_PATH = '/auth/oauth2/token';
export const REVOKE_PATH = '/auth/oauth2/revoke';

/** Allowed statuses of the endpoints that apps call. */
const TOKEN_STATUSES = [200, 400, 401, 404, 405, 408, 413, 415, 417, 429, 431];

/** Parameters that a client library might add or an attacker try. */
const EXTRAS: Fields = [
  ...new URLSearchParams(
    'prompt=none&prompt=login&prompt=select_account+consent&max_age=0&max_age=-1&nonce=n-0S6&response_mode=form_post&' +
      'response_mode=fragment&response_mode=query&request=eyJhbGciOiJub25lIn0.e30.&request_uri=https://foreign.example/&' +
      'registration={}&claims={&claims={"id_token":{"email":null}}&id_token_hint=x.y.z&login_hint=hana@demo.example&' +
      'acr_values=1&ui_locales=ja&display=popup&client_secret=cps_x&client_assertion=x&dpop_jkt=x&scope=openid&' +
      'client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&resource=https://foreign.example/',
  ),
];

/** Makes one mistake: removes, duplicates, changes or adds a parameter. */
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

/** The authorization code flow as an app and a member's browser perform it. */
export class AuthorizationFlow {
  readonly #context: CaseContext;

  constructor(context: CaseContext) {
    this.#context = context;
  }

  request(random: Random, app: AppName): AuthorizationRequest {
    const { scene, origin } = this.#context;
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
    return { client, verifier, fields };
  }

  /** Opens the request in a new browser, which shows the consent page if the request is valid. */
  async open(
    random: Random,
    fields: Fields,
    person: Person | null,
  ): Promise<[Browser, Page | null]> {
    const session = person === null ? null : await this.#context.scene.signIn(person);
    const browser = new Browser(this.#context, 'oauth', session);
    const query = encodeForm(fields).body.toString();
    return [browser, await browser.go(random, 'GET', `/auth/oauth2/authorize?${query}`)];
  }

  /** Presses Allow or Deny. Returns the code, or null if the app got none. */
  async decide(
    random: Random,
    browser: Browser,
    page: Page | null,
    decision: 'allow' | 'deny',
  ): Promise<string | null> {
    const form = formsOf(page?.text ?? '').find(({ controls }) =>
      controls.some(({ name }) => name === 'decision'),
    );
    if (form === undefined) return null;
    const hidden = form.controls.filter(({ type }) => type === 'hidden');
    const fields = hidden.map(({ name, value }) => [name, value] as const);
    const load = encodeForm([...fields, ['decision', decision]]);
    const back = await browser.go(random, 'POST', form.action, load);
    return back === null ? null : new URL(back.url).searchParams.get('code');
  }

  /** Returns the parameters of the request that exchanges a code. */
  exchangeFields({ verifier }: AuthorizationRequest, code: string): Fields {
    const { scene, origin } = this.#context;
    return [
      ['grant_type', 'authorization_code'],
      ['code', code],
      ['redirect_uri', scene.redirectUri],
      ['code_verifier', verifier],
      ['resource', `${origin}/partner/v1`],
    ];
  }

  /**
   * Sends an app's request to the token or revocation endpoint; `changed` overrides parts of the
   * request.
   */
  async post(
    random: Random,
    path: string,
    { clientId, secret }: Pick<Client, 'clientId' | 'secret'>,
    fields: Fields,
    changed: Pick<SentRequest, 'headers'> & Partial<SentRequest> = {},
  ): Promise<[SentRequest, Answer | null]> {
    const load = encodeForm(fields);
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
    const sent: SentRequest = {
      area: 'oauth',
      caseName: random.name,
      label: `${changed.method ?? 'POST'} ${path.replace(/\?.*/, '')}`,
      method: 'POST',
      path,
      body: load.body,
      ...changed,
      headers: { authorization, 'content-type': load.type, ...changed.headers },
    };
    return [sent, await this.#context.sender.send(sent, TOKEN_STATUSES)];
  }
}

/** Returns the tokens of a successful answer, or null. */
export function tokensOf(
  answer: Answer | null,
): { readonly access: string; readonly refresh: string | null } | null {
  if (answer?.status !== 200) return null;
  const body: unknown = JSON.parse(answer.body.toString());
  if (!isObject(body) || typeof body['access_token'] !== 'string') return null;
  const refresh = body['refresh_token'];
  return { access: body['access_token'], refresh: typeof refresh === 'string' ? refresh : null };
}
