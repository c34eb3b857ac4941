import { formsOf, type PostedForm } from '../../test/console-forms.ts';
import {
  type AuthorizationFlow,
  type Fields,
  mutateFields,
  REVOKE_PATH,
  TOKEN_PATH,
  tokensOf,
} from './authorization-flow.ts';
import { Browser, encodeForm } from './browser.ts';
import type { Grant, Grants } from './grants.ts';
import { pickHostileText, mutateBytes, mutateText } from './mutation.ts';
import type { Random } from './random.ts';
import { APP_NAMES, PEOPLE } from './scene.ts';
import type { CaseContext } from './case-context.ts';

const DOCUMENTS = [
  '/auth/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/auth',
  '/.well-known/oauth-protected-resource/partner/v1',
  '/auth/oauth2/jwks',
];

/** Cases for the authorization server: complete flows, with mistakes at every step. */
export class OAuthCases {
  readonly #context: CaseContext;
  readonly #flow: AuthorizationFlow;
  readonly #grants: Grants;

  constructor(context: CaseContext, flow: AuthorizationFlow, grants: Grants) {
    this.#context = context;
    this.#flow = flow;
    this.#grants = grants;
  }

  async run(random: Random): Promise<void> {
    const weights = { authorize: 5, decide: 3, exchange: 5, refresh: 6, revoke: 2 };
    const kind = random.weigh({ ...weights, signIn: 3, document: 1, broken: 2 });
    const cases = {
      authorize: async () => await this.#authorize(random),
      decide: async () => await this.#decide(random),
      exchange: async () => await this.#exchange(random),
      refresh: async () => await this.#refresh(random),
      revoke: async () => await this.#revoke(random),
      signIn: async () => await this.#signIn(random),
      document: async () => await this.#document(random),
      broken: async () => await this.#broken(random),
    };
    await cases[kind]();
  }

  /** Sends a wrong authorization request, and continues if it is accepted. */
  async #authorize(random: Random): Promise<void> {
    const { fields } = this.#flow.request(random, random.pick(APP_NAMES));
    const once = mutateFields(random, fields);
    const wrong = random.chance(40) ? mutateFields(random, once) : once;
    const person = random.chance(20) ? null : random.pick(PEOPLE);
    const [browser, page] = await this.#flow.open(random, wrong, person);
    const decision = random.pick(['allow', 'deny'] as const);
    const code = await this.#flow.decide(random, browser, page, decision);
    if (code !== null && decision === 'deny' && page !== null) {
      this.#context.journal.fail('a denied request returned a code', page.sent, page.answer);
    }
  }

  /** Sends a form of the page, often a wrong one, and then the correct consent form. */
  async #decide(random: Random): Promise<void> {
    const { fields } = this.#flow.request(random, random.pick(APP_NAMES));
    const person = random.chance(35) ? null : random.pick(PEOPLE);
    const [browser, page] = await this.#flow.open(random, fields, person);
    const forms = formsOf(page?.text ?? '');
    if (forms.length === 0) return;
    const { action, controls } = random.pick(forms);
    const right = this.#typed(random, controls);
    const suffix = random.chance(20) ? random.pick(['x', '/x', '/passkey']) : '';
    const load = encodeForm(random.chance(60) ? mutateFields(random, right) : right);
    await browser.go(random, 'POST', `${action}${suffix}`, load);
    await this.#flow.decide(random, browser, page, 'allow');
  }

  /** Exchanges a code wrongly, correctly, and a second time. */
  async #exchange(random: Random): Promise<void> {
    const request = this.#flow.request(random, random.pick(APP_NAMES));
    const [browser, page] = await this.#flow.open(random, request.fields, 'owner');
    const code = await this.#flow.decide(random, browser, page, 'allow');
    if (code === null) return;
    const right = this.#flow.exchangeFields(request, code);
    const post = async (fields: Fields): ReturnType<AuthorizationFlow['post']> =>
      await this.#flow.post(random, TOKEN_PATH, request.client, fields, { headers });
    const headers = maybeKey(random);
    if (random.chance(60)) await post(mutateFields(random, right));
    const [, first] = await post(right);
    const [sent, second] = await post(right);
    if (first?.status !== 200 || second?.status !== 200) return;
    const isSame = 'idempotency-key' in headers && first.body.equals(second.body);
    if (!isSame) this.#context.journal.fail('a code was accepted twice', sent, second);
  }

  /**
   * Refreshes tokens in four ways: with a faulty request, with a used token, correctly, and a
   * second time.
   */
  async #refresh(random: Random): Promise<void> {
    const { scene, journal, origin } = this.#context;
    const grant = await this.#grants.take(random);
    if (grant === undefined) return;
    const { refreshToken, spentToken } = grant;
    if (refreshToken === null) return;
    const client = scene.client(grant.app);
    const headers = maybeKey(random);
    const right = (token: string): Fields => [
      ['grant_type', 'refresh_token'],
      ['refresh_token', token],
      ['resource', `${origin}/partner/v1`],
    ];
    const post = async (fields: Fields): ReturnType<AuthorizationFlow['post']> =>
      await this.#flow.post(random, TOKEN_PATH, client, fields, { headers });
    if (random.chance(40)) await post(mutateFields(random, right(refreshToken)));
    if (spentToken !== null && random.chance(15)) {
      const [sent, answer] = await post(right(spentToken));
      if (answer?.status === 200) journal.fail('a used token was accepted', sent, answer);
      this.#grants.drop(grant);
      return;
    }
    const [, first] = await post(right(refreshToken));
    if ('idempotency-key' in headers && random.chance(50)) {
      const [sent, again] = await post(right(refreshToken));
      const isOther = first?.status === 200 && again?.status === 200;
      if (isOther && !again.body.equals(first.body)) {
        journal.fail('a repeated refresh has a different response', sent, again);
      }
    }
    const tokens = tokensOf(first);
    if (tokens === null) this.#grants.drop(grant);
    else keep(grant, tokens);
  }

  /** Revokes a token, which must not be accepted afterwards. */
  async #revoke(random: Random): Promise<void> {
    const { scene, journal } = this.#context;
    const grant = await this.#grants.take(random);
    if (grant === undefined) return;
    const client = scene.client(random.chance(80) ? grant.app : random.pick(APP_NAMES));
    const token = random.pick([grant.accessToken, grant.refreshToken ?? grant.accessToken]);
    const isRight = random.chance(50);
    const fields: Fields = [['token', token]];
    const sentFields = isRight ? fields : mutateFields(random, fields);
    const [, answer] = await this.#flow.post(random, REVOKE_PATH, client, sentFields);
    if (answer?.status !== 200 || !isRight || client.clientId !== grant.clientId) return;
    this.#grants.drop(grant);
    const [sent, after] = await this.#grants.callConnection(random, 'GET', grant.accessToken);
    if (after?.status === 200) journal.fail('a revoked token is accepted', sent, after);
  }

  /** Uses the sign-in page with right and wrong passwords and invalid passkeys. */
  async #signIn(random: Random): Promise<void> {
    const browser = new Browser(this.#context, 'oauth', null);
    const odd = encodeURIComponent(pickHostileText(random).toWellFormed()).slice(0, 6_000);
    const next = random.pick(['', '/console', '//foreign.example', odd]);
    const page = await browser.go(random, 'GET', `/signin?next=${next}`);
    const forms = formsOf(page?.text ?? '');
    if (forms.length === 0) return;
    const { action, controls } = random.pick(forms);
    const right = this.#typed(random, controls);
    const load = encodeForm(random.chance(30) ? mutateFields(random, right) : right);
    await browser.go(random, 'POST', action, load);
    if (random.chance(30)) await browser.go(random, 'POST', '/signin/passkey/options', load);
    if (random.chance(30)) await browser.go(random, 'POST', '/signin/out', load);
  }

  /** Fills in the sign-in form, usually correctly. */
  #typed(random: Random, controls: PostedForm['controls']): Fields {
    const { accounts, password } = this.#context.scene;
    const { email } = accounts[random.pick(['owner', 'clerk'] as const)];
    const values: Readonly<Record<string, string>> = {
      email: random.chance(85) ? email : mutateText(random, email),
      password: random.chance(70) ? password : mutateText(random, password),
      credential: random.chance(50) ? '{"id":"x","response":{}}' : pickHostileText(random),
    };
    return controls.map(({ name, value }) => [name, values[name] ?? value] as const);
  }

  async #document(random: Random): Promise<void> {
    const [path, method] = [random.pick(DOCUMENTS), random.pick(['GET', 'HEAD', 'PUT'])];
    const label = `${method} ${path}`;
    const sent = { area: 'oauth', caseName: random.name, label, method, path };
    await this.#context.sender.send(sent, [method === 'PUT' ? 405 : 200]);
  }

  /** Calls the apps' endpoints with bodies and headers that no library would send. */
  async #broken(random: Random): Promise<void> {
    const client = this.#context.scene.client(random.pick(APP_NAMES));
    const path = random.pick([TOKEN_PATH, REVOKE_PATH, `${TOKEN_PATH}/x`, `${REVOKE_PATH}?x=%zz`]);
    const { body, type } = encodeForm([['grant_type', 'refresh_token']]);
    const basic = `Basic ${random.bytes(40).toString('base64')}`;
    const wrong = {
      authorization: random.pick(['Basic', 'Basic x', 'Basic Og==', 'Bearer x', basic]),
      'content-type': random.pick(['application/json', `${type}; charset=utf-16`, 'x']),
      'idempotency-key': random.pick(['x'.repeat(256), 'é', ' ']),
    };
    const headers = Object.fromEntries(Object.entries(wrong).filter(() => random.chance(40)));
    const bodies = [mutateBytes(random, body), random.bytes(200), Buffer.alloc(17_000, 'a=b&')];
    const method = random.pick(['POST', 'POST', 'POST', 'GET', 'DELETE', 'OPTIONS']);
    const changed = { headers, method, body: random.pick(bodies) };
    await this.#flow.post(random, path, client, [], changed);
  }
}

function maybeKey(random: Random): Readonly<Record<string, string>> {
  return random.chance(55) ? { 'idempotency-key': random.uuid() } : {};
}

function keep(grant: Grant, tokens: NonNullable<ReturnType<typeof tokensOf>>): void {
  grant.spentToken = grant.refreshToken;
  grant.accessToken = tokens.access;
  grant.refreshToken = tokens.refresh;
  grant.sinceMs = performance.now();
}
