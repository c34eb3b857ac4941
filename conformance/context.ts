import { type HttpResponse, headerOf } from './response.ts';
import { Caller, type Tokens } from './caller.ts';
import { type Control, openControl } from './control.ts';
import { expect, expectStatus, expectSuccess, isObject, jsonOf, NotRun } from './expect.ts';
import { type AuthorizationRequest, type Changes, OAuthClient } from './oauth.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { type RequestSpec, send } from './send.ts';
import type { Target, TargetApp, TargetMember, TargetShop } from './target.ts';

/**
 * The app that makes the calls, and the member who approved it. Defaults to the main app of the
 * first shop, approved by the shop's owner, with both read scopes.
 */
export interface Actor {
  readonly shop?: TargetShop;
  readonly app?: TargetApp;
  readonly member?: TargetMember;
  /** Other parameters of the authorization request, such as `scope`. */
  readonly changes?: Changes;
}

/**
 * Gives tests access to the target. One context serves a complete run, so that tests that change
 * nothing share approvals.
 */
export class Context {
  readonly target: Target;
  readonly control: Control;
  readonly #secrets = new Set<string>();
  readonly #sharedConnections = new Map<string, Promise<Caller>>();
  /** How far the target's clock is ahead of this machine's; null until it has been measured. */
  #aheadMs: number | null = null;

  constructor(target: Target) {
    this.target = target;
    this.control = openControl(target.controlUrl);
    for (const { apps, members } of target.shops) {
      for (const app of Object.values(apps)) this.#addSecret(app?.clientSecret);
      for (const member of Object.values(members)) this.#addSecret(member?.password);
    }
  }

  get shop(): TargetShop {
    return this.target.shops[0];
  }

  get otherShop(): TargetShop {
    return this.target.shops[1];
  }

  /**
   * The app of the first shop that tests may disable, disconnect and revoke: the spare app, or the
   * main app if there is no spare app. In that case the shared approvals of the main app are
   * dropped, because the test will end them.
   */
  get spareApp(): TargetApp {
    if (this.shop.apps.spare === null) this.#sharedConnections.clear();
    return this.shop.apps.spare ?? this.shop.apps.main;
  }

  /** Another app of the first shop that may ask for all scopes. */
  get secondApp(): TargetApp {
    return requirePresent(this.shop.apps.spare, 'spare app in the first shop');
  }

  /** The app of the first shop that may not ask for `inventory:read`. */
  get narrowApp(): TargetApp {
    return requirePresent(this.shop.apps.narrow, 'app without inventory:read in the first shop');
  }

  /** The member of the first shop without `purchases.read`. */
  get clerk(): TargetMember {
    return requirePresent(
      this.shop.members.clerk,
      'member without purchases.read in the first shop',
    );
  }

  /** Returns the target's time in milliseconds. */
  async nowMs(): Promise<number> {
    return await this.targetMs(Date.now());
  }

  /**
   * Converts this machine's time to the target's, in milliseconds. An earlier run may have moved
   * the target's clock, so it is read from the control, or else from the `Date` of a response.
   */
  async targetMs(machineMs: number): Promise<number> {
    this.#aheadMs ??= await this.#readAhead();
    return machineMs + this.#aheadMs;
  }

  /** Moves the target's clock and drops shared approvals, because their tokens may have expired. */
  async advance(seconds: number): Promise<void> {
    const before = await this.nowMs();
    const now = await this.control.advanceClock(seconds);
    this.#aheadMs = (now ?? before + seconds * 1000) - Date.now();
    this.#sharedConnections.clear();
  }

  async #readAhead(): Promise<number> {
    const now = (await this.#readControlClock()) ?? (await this.#readDateHeader());
    const aheadMs = now === null ? 0 : now - Date.now();
    // A `Date` has whole seconds, and the response took some time, so ignore a small difference.
    return Math.abs(aheadMs) < CLOCK_TOLERANCE_MS ? 0 : aheadMs;
  }

  async #readControlClock(): Promise<number | null> {
    try {
      return await this.control.advanceClock(0);
    } catch (error) {
      if (error instanceof NotRun) return null;
      throw error;
    }
  }

  /** Returns the `Date` of a response (RFC 9110 §6.6.1). */
  async #readDateHeader(): Promise<number | null> {
    const response = await this.send({ method: 'GET', url: this.target.metadataUrl });
    const atMs = Date.parse(headerOf(response, 'date') ?? '');
    return Number.isNaN(atMs) ? null : atMs;
  }

  /** Sends a request and remembers which parts of the response must never be printed. */
  readonly send = async (request: RequestSpec): Promise<HttpResponse> => {
    const response = await send(request);
    for (const [secret] of response.text.matchAll(SECRETS)) this.#addSecret(secret);
    for (const name of ['access_token', 'refresh_token', 'id_token', 'secret']) {
      this.#addSecret(new RegExp(`"${name}"\\s*:\\s*"([^"]+)"`).exec(response.text)?.[1]);
    }
    return response;
  };

  /** Sends a request without a token. */
  async anonymous(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse> {
    return await this.send({ method, url: `${this.target.baseUrl}${path}`, headers });
  }

  oauth(app: TargetApp = this.shop.apps.main): OAuthClient {
    return new OAuthClient(this.target, app, this.send);
  }

  /** Has a member approve a request. Returns the redirect target, or null when there is none. */
  async follow(
    request: AuthorizationRequest,
    member: TargetMember = this.shop.members.owner,
  ): Promise<URL | null> {
    const url = await this.control.approve(request.url, member);
    this.#addSecret(url?.searchParams.get('code') ?? undefined);
    return url;
  }

  /** Has a member approve a request. Returns the redirect target. */
  async approve(request: AuthorizationRequest, member?: TargetMember): Promise<URL> {
    const url = await this.follow(request, member);
    expect(url !== null, 'the browser to be redirected after the approval', 'a page');
    return url;
  }

  /** Has a member approve a request. Returns the code. */
  async code(request: AuthorizationRequest, member?: TargetMember): Promise<string> {
    const url = await this.approve(request, member);
    const code = url.searchParams.get('code');
    expect(code !== null, 'a code in the redirect after the approval', [
      ...url.searchParams.keys(),
    ]);
    return code;
  }

  /** Creates an approval with tokens and without a connection. */
  async approved(actor: Actor = {}): Promise<Caller> {
    const shop = actor.shop ?? this.shop;
    const app = actor.app ?? shop.apps.main;
    const oauth = this.oauth(app);
    const request = oauth.request(actor.changes);
    const code = await this.code(request, actor.member ?? shop.members.owner);
    const response = await oauth.exchange(code, request);
    expectStatus(response, 200);
    return this.caller(app, tokensOf(response));
  }

  /** Creates an approval with an active connection. */
  async connected(actor: Actor = {}): Promise<Caller> {
    const caller = await this.approved(actor);
    expectSuccess(await caller.post('/connection'));
    return caller;
  }

  /**
   * Returns an approval with an active connection. All tests of a run with the same actor share it.
   */
  async sharedConnection(actor: Actor = {}): Promise<Caller> {
    const shop = actor.shop ?? this.shop;
    const app = actor.app ?? shop.apps.main;
    const email = (actor.member ?? shop.members.owner).email;
    const key = JSON.stringify([app.clientId, email, actor.changes ?? {}]);
    const known = this.#sharedConnections.get(key) ?? this.connected(actor);
    this.#sharedConnections.set(key, known);
    known.catch(() => this.#sharedConnections.delete(key));
    return await known;
  }

  /** Returns a caller with a token that the target never issued. */
  unknownCaller(accessToken = 'none'): Caller {
    return this.caller(this.shop.apps.main, { accessToken, refreshToken: null, scope: '' });
  }

  caller(app: TargetApp, tokens: Tokens): Caller {
    return new Caller(this.target.baseUrl, { app, oauth: this.oauth(app) }, tokens, this.send);
  }

  /**
   * Opens the suite's receiver of notices. The test is `not_run` if this target sends no notices to
   * loopback.
   */
  async receiver(): Promise<Receiver> {
    const url = requirePresent(
      this.target.webhook.receiverUrl,
      'webhook.receiverUrl, because it sends no events to loopback',
    );
    return await openReceiver(url);
  }

  /** Removes this run's tokens, secrets, codes and passwords from a text. */
  redact(text: string): string {
    let result = text;
    for (const secret of this.#secrets) {
      result = result
        .replaceAll(secret, '[secret]')
        .replaceAll(encodeURIComponent(secret), '[secret]');
    }
    return result.replaceAll(SECRETS, '[secret]');
  }

  #addSecret(secret: string | undefined): void {
    if (secret !== undefined && secret.length >= SECRET_CHARACTERS_MIN) this.#secrets.add(secret);
  }
}

/** Patterns of secrets: signing secrets, and Bearer or Basic credentials. */
const SECRETS = /whsec_[A-Za-z0-9+/=_-]+|(?<=\b(?:Bearer|Basic) )[A-Za-z0-9\-._~+/]{16,}=*/g;
/** Clocks that differ by less than this count as equal. */
const CLOCK_TOLERANCE_MS = 3_000;
/** Shorter secrets are not redacted, because they could be ordinary words. */
const SECRET_CHARACTERS_MIN = 8;

/** Returns the tokens in a response of the token endpoint. Fails when there is no access token. */
export function tokensOf(response: HttpResponse): Tokens {
  const body = jsonOf(response);
  const member = (name: string): string | null => {
    const value = isObject(body) ? body[name] : undefined;
    return typeof value === 'string' ? value : null;
  };
  const accessToken = member('access_token');
  expect(
    accessToken !== null,
    'an access_token in the token response',
    Object.keys(isObject(body) ? body : {}),
  );
  return { accessToken, refreshToken: member('refresh_token'), scope: member('scope') ?? '' };
}

function requirePresent<Value>(value: Value | null, what: string): Value {
  if (value === null) throw new NotRun(`the target has no ${what}`);
  return value;
}
