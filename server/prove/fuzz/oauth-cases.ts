import { formsOf } from '../../test/console-forms.ts';
import {
  type AuthorizationFlow,
  type Fields,
  mutateFields,
  tokensOf,
} from './authorization-flow.ts';
import { Browser, PAGE_STATUSES, urlEncoded } from './browser.ts';
import type { Grants } from './grants.ts';
import type { SentRequest } from './journal.ts';
import { hostileText, mutateBytes, mutateText } from './mutation.ts';
import type { Random } from './random.ts';
import { APP_NAMES, PEOPLE } from './scene.ts';
import type { Tools } from './tools.ts';

const TOKEN = '/auth/oauth2/token';
const REVOKE = '/auth/oauth2/revoke';

/** Documents, addresses below them and addresses that there are not. */
const DOCUMENTS = [
  '/auth/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/auth',
  '/.well-known/oauth-protected-resource/partner/v1',
  '/auth/oauth2/jwks',
  '/auth/oauth2/userinfo',
  '/auth/.well-known/openid-configuration',
  '/auth/oauth2/authorize/x',
  '/auth/interaction/x',
  '/auth/oauth2/token',
  '/auth/%2e%2e/token',
  '/auth',
];

/** The authorization server: whole flows, and one thing wrong at each of their steps. */
export class OAuthCases {
  readonly #tools: Tools;
  readonly #flow: AuthorizationFlow;
  readonly #grants: Grants;

  constructor(tools: Tools, flow: AuthorizationFlow, grants: Grants) {
    this.#tools = tools;
    this.#flow = flow;
    this.#grants = grants;
  }

  async run(random: Random, caseName: string): Promise<void> {
    const kinds = {
      authorize: 5,
      decide: 3,
      exchange: 5,
      refresh: 6,
      revoke: 2,
      signIn: 3,
      document: 1,
      broken: 2,
    };
    switch (random.weigh(kinds)) {
      case 'authorize':
        return await this.#authorize(random, caseName);
      case 'decide':
        return await this.#decide(random, caseName);
      case 'exchange':
        return await this.#exchange(random, caseName);
      case 'refresh':
        return await this.#refresh(random, caseName);
      case 'revoke':
        return await this.#revoke(random, caseName);
      case 'signIn':
        return await this.#signIn(random, caseName);
      case 'document':
        return await this.#document(random, caseName);
      case 'broken':
        return await this.#broken(random, caseName);
    }
  }

  /** A wrong authorization request, which goes on where it is taken all the same. */
  async #authorize(random: Random, caseName: string): Promise<void> {
    const request = this.#flow.request(random, random.pick(APP_NAMES));
    let fields = mutateFields(random, request.fields);
    if (random.chance(40)) fields = mutateFields(random, fields);
    const person = random.chance(20) ? null : random.pick(PEOPLE);
    const [browser, page] = await this.#flow.open(caseName, fields, person);
    const decision = random.pick(['allow', 'deny']);
    const code = await this.#flow.decide(caseName, browser, page, decision);
    if (code !== null && decision === 'deny' && page !== null) {
      this.#tools.journal.fail('a refusal gave a code', page.sent, page.answer);
    }
  }

  /** Wrong forms on the page of consent. */
  async #decide(random: Random, caseName: string): Promise<void> {
    const request = this.#flow.request(random, random.pick(APP_NAMES));
    const person = random.pick(PEOPLE);
    const [browser, page] = await this.#flow.open(caseName, request.fields, person);
    const forms = formsOf(page?.text ?? '');
    if (forms.length === 0) return;
    const form = random.pick(forms);
    const fields = form.controls.map(({ name, value }): [string, string] => [name, value]);
    const load = urlEncoded(mutateFields(random, fields));
    const action = random.chance(20)
      ? `${form.action}${random.pick(['x', '/x', '/passkey'])}`
      : form.action;
    await browser.go(caseName, 'POST', action, load);
    // What was asked for is still there, or said to be over.
    await this.#flow.decide(caseName, browser, page, 'allow');
  }

  /** A real code: exchanged wrongly, rightly, and once more. */
  async #exchange(random: Random, caseName: string): Promise<void> {
    const app = random.pick(APP_NAMES);
    const request = this.#flow.request(random, app);
    const [browser, page] = await this.#flow.open(caseName, request.fields, 'owner');
    const code = await this.#flow.decide(caseName, browser, page, 'allow');
    if (code === null) return;
    const { client } = request;
    const fields = this.#flow.exchangeFields(request, code);
    if (random.chance(60)) {
      await this.#flow.post(caseName, TOKEN, client, mutateFields(random, fields));
    }
    const key: Record<string, string> = random.chance(50)
      ? { 'idempotency-key': random.uuid() }
      : {};
    const [, first] = await this.#flow.post(caseName, TOKEN, client, fields, key);
    const [sent, second] = await this.#flow.post(caseName, TOKEN, client, fields, key);
    if (first?.status !== 200 || second?.status !== 200) return;
    const isSame = 'idempotency-key' in key && first.body.equals(second.body);
    if (!isSame) this.#tools.journal.fail('a code was taken twice', sent, second);
  }

  /** A refresh: rightly, wrongly, again, or with a token that is spent. */
  async #refresh(random: Random, caseName: string): Promise<void> {
    const { scene, journal } = this.#tools;
    const grant = await this.#grants.take(random, caseName);
    if (grant?.refreshToken === undefined || grant.refreshToken === null) return;
    const client = scene.client(grant.app);
    if (client.clientId !== grant.clientId) return this.#grants.drop(grant);
    const fieldsOf = (token: string): Fields => [
      ['grant_type', 'refresh_token'],
      ['refresh_token', token],
      ['resource', `${this.#tools.origin}/partner/v1`],
    ];
    if (random.chance(40)) {
      await this.#flow.post(
        caseName,
        TOKEN,
        client,
        mutateFields(random, fieldsOf(grant.refreshToken)),
      );
    }
    if (grant.spentToken !== null && random.chance(15)) {
      const [sent, answer] = await this.#flow.post(
        caseName,
        TOKEN,
        client,
        fieldsOf(grant.spentToken),
      );
      if (answer?.status === 200) journal.fail('a spent token was taken', sent, answer);
      return this.#grants.drop(grant);
    }
    const token = grant.refreshToken;
    const key: Record<string, string> = random.chance(60)
      ? { 'idempotency-key': random.uuid() }
      : {};
    const [, first] = await this.#flow.post(caseName, TOKEN, client, fieldsOf(token), key);
    const tokens = tokensOf(first);
    if (tokens === null || first === null) return this.#grants.drop(grant);
    if ('idempotency-key' in key && random.chance(50)) {
      const [sent, again] = await this.#flow.post(caseName, TOKEN, client, fieldsOf(token), key);
      const isOther = again?.status === 200 && !again.body.equals(first.body);
      if (isOther) journal.fail('a repeated refresh has another answer', sent, again);
    }
    grant.spentToken = token;
    grant.accessToken = tokens.access;
    grant.refreshToken = tokens.refresh;
    grant.sinceMs = performance.now();
  }

  /** A revoked token opens nothing any more. */
  async #revoke(random: Random, caseName: string): Promise<void> {
    const { scene, journal, wire, judge } = this.#tools;
    const grant = await this.#grants.take(random, caseName);
    if (grant === undefined) return;
    const client = scene.client(random.chance(80) ? grant.app : random.pick(APP_NAMES));
    const token = random.pick([grant.accessToken, grant.refreshToken ?? grant.accessToken]);
    const right: Fields = [['token', token]];
    const fields = random.chance(50) ? mutateFields(random, right) : right;
    const [, answer] = await this.#flow.post(caseName, REVOKE, client, fields);
    const isRight = fields === right && client.clientId === grant.clientId;
    if (answer?.status !== 200 || !isRight) return;
    this.#grants.drop(grant);
    const sent: SentRequest = {
      area: 'partner',
      caseName,
      label: 'getConnection',
      method: 'GET',
      path: '/partner/v1/connection',
      headers: { authorization: `Bearer ${grant.accessToken}` },
      body: null,
    };
    const after = await wire.send(sent);
    if (after === null) return;
    judge.check(sent, after, null);
    if (after.status < 400) journal.fail('a revoked token is taken', sent, after);
  }

  /** The sign-in page by itself: right and wrong passwords, passkeys that are none. */
  async #signIn(random: Random, caseName: string): Promise<void> {
    const { scene } = this.#tools;
    const browser = new Browser(this.#tools, 'oauth', null);
    const next = random.pick([
      '',
      '?next=/console',
      '?next=//foreign.example',
      `?next=${encodeURIComponent(hostileText(random).toWellFormed())}`,
    ]);
    const page = await browser.go(caseName, 'GET', `/signin${next}`.slice(0, 6_000));
    const forms = formsOf(page?.text ?? '');
    if (forms.length === 0) return;
    const form = random.pick(forms);
    const { email } = scene.accounts[random.pick(['owner', 'clerk'] as const)];
    const values: Readonly<Record<string, string>> = {
      email: random.chance(85) ? email : mutateText(random, email),
      password: random.chance(60) ? scene.password : mutateText(random, scene.password),
      credential: random.chance(50) ? '{"id":"x","response":{}}' : hostileText(random),
    };
    const right = form.controls.map(({ name, value }): [string, string] => [
      name,
      values[name] ?? value,
    ]);
    const load = urlEncoded(random.chance(30) ? mutateFields(random, right) : right);
    await browser.go(caseName, 'POST', form.action, load);
    if (random.chance(30)) await browser.go(caseName, 'POST', '/signin/passkey/options', load);
    if (random.chance(30)) await browser.go(caseName, 'POST', '/signin/out', load);
  }

  async #document(random: Random, caseName: string): Promise<void> {
    const { wire, journal } = this.#tools;
    const path = random.pick(DOCUMENTS);
    const method = random.pick(['GET', 'GET', 'HEAD', 'PUT', 'OPTIONS']);
    const label = `${method} ${path}`;
    const sent = { area: 'oauth', caseName, label, method, path, headers: {}, body: null };
    const answer = await wire.send(sent);
    if (answer === null) return;
    const isWrong = !this.#tools.judge.check(sent, answer, PAGE_STATUSES);
    const isDocument = method === 'GET' && DOCUMENTS.indexOf(path) < 4;
    if (!isWrong && isDocument && answer.status !== 200) journal.fail('no document', sent, answer);
  }

  /** Bodies and headers that no library sends, at the endpoints of apps. */
  async #broken(random: Random, caseName: string): Promise<void> {
    const { wire, judge, scene } = this.#tools;
    const { clientId, secret } = scene.client(random.pick(APP_NAMES));
    const right = urlEncoded([
      ['grant_type', 'refresh_token'],
      ['refresh_token', 'cpr_x'],
    ]);
    const basic = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
    const path = random.pick([TOKEN, REVOKE, `${TOKEN}/`, `${TOKEN}/x`, `${REVOKE}?x=%zz`]);
    const method = random.pick(['POST', 'POST', 'POST', 'GET', 'DELETE', 'OPTIONS']);
    const sent: SentRequest = {
      area: 'oauth',
      caseName,
      label: `${method} ${path.replace(/[?].*/, '')}`,
      method,
      path,
      headers: {
        authorization: random.pick([
          basic,
          basic,
          'Basic',
          'Basic x',
          'Basic Og==',
          'Bearer x',
          `Basic ${random.bytes(40).toString('base64')}`,
        ]),
        'content-type': random.pick([
          right.type,
          right.type,
          'application/json',
          `${right.type}; charset=utf-16`,
          'x',
        ]),
        'idempotency-key': random.pick(['x', 'x'.repeat(256), 'é', ' ']),
      },
      body: random.pick([
        mutateBytes(random, right.body),
        random.bytes(200),
        Buffer.alloc(17_000, 'a=b&'),
      ]),
    };
    const answer = await wire.send(sent);
    if (answer !== null) judge.check(sent, answer, PAGE_STATUSES);
  }
}
