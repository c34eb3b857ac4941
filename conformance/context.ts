import { type Answer, headerOf } from './answer.ts';
import { Caller, type Tokens } from './caller.ts';
import { type Control, openControl } from './control.ts';
import { expect, expectStatus, expectSuccess, isObject, jsonOf, NotRun } from './expect.ts';
import { type AuthorizationRequest, type Changes, OAuthClient } from './oauth.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { type Order, send } from './send.ts';
import type { Target, TargetApp, TargetMember, TargetShop } from './target.ts';

/** Who acts: by default the main app of the first shop, approved by its owner, with both read scopes. */
export interface Actor {
  readonly shop?: TargetShop;
  readonly app?: TargetApp;
  readonly member?: TargetMember;
  /** Another `scope`, or any other parameter of the authorization request. */
  readonly changes?: Changes;
}

/** What a test acts with. One serves a whole run, so that approvals are shared by the tests that change nothing of them. */
export class Context {
  readonly target: Target;
  readonly control: Control;
  readonly #secrets = new Set<string>();
  readonly #kept = new Map<string, Promise<Caller>>();
  /** How far the target's clock is ahead of this machine's; null: nobody has asked yet. */
  #aheadMs: number | null = null;

  constructor(target: Target) {
    this.target = target;
    this.control = openControl(target.controlUrl);
    for (const { apps, members } of target.shops) {
      for (const app of Object.values(apps)) this.#hide(app?.clientSecret);
      for (const member of Object.values(members)) this.#hide(member?.password);
    }
  }

  get shop(): TargetShop {
    return this.target.shops[0];
  }

  get otherShop(): TargetShop {
    return this.target.shops[1];
  }

  /**
   * The app of the first shop that tests may disable, end and revoke: the spare one, or the main one where there is none.
   * Then what was kept of the main one is over, for the test is about to end it.
   */
  get spareApp(): TargetApp {
    if (this.shop.apps.spare === null) this.#kept.clear();
    return this.shop.apps.spare ?? this.shop.apps.main;
  }

  /** An app of the first shop beside the main one, which may ask for all scopes. */
  get secondApp(): TargetApp {
    return present(this.shop.apps.spare, 'spare app in the first shop');
  }

  /** The app of the first shop that may not ask for `inventory:read`. */
  get narrowApp(): TargetApp {
    return present(this.shop.apps.narrow, 'app without inventory:read in the first shop');
  }

  /** The member of the first shop without `purchases.read`. */
  get clerk(): TargetMember {
    return present(this.shop.members.clerk, 'member without purchases.read in the first shop');
  }

  /** The target's instant in milliseconds. */
  async nowMs(): Promise<number> {
    return await this.targetMs(Date.now());
  }

  /**
   * An instant of this machine as the target sees it, both in milliseconds. An earlier run may have moved the target's
   * clock, so the control is asked, and where it does not tell, the `Date` of an answer.
   */
  async targetMs(machineMs: number): Promise<number> {
    this.#aheadMs ??= await this.#readAhead();
    return machineMs + this.#aheadMs;
  }

  /** Moves the target's clock. What was approved before is forgotten: its tokens may be over. */
  async advance(seconds: number): Promise<void> {
    const before = await this.nowMs();
    const now = await this.control.advanceClock(seconds);
    this.#aheadMs = (now ?? before + seconds * 1000) - Date.now();
    this.#kept.clear();
  }

  async #readAhead(): Promise<number> {
    const now = (await this.#toldNow()) ?? (await this.#datedNow());
    const aheadMs = now === null ? 0 : now - Date.now();
    // A `Date` has whole seconds, and the answer took its way.
    return Math.abs(aheadMs) < DATE_APART_MS ? 0 : aheadMs;
  }

  async #toldNow(): Promise<number | null> {
    try {
      return await this.control.advanceClock(0);
    } catch (error) {
      if (error instanceof NotRun) return null;
      throw error;
    }
  }

  /** RFC 9110 §6.6.1: when the answer was made. */
  async #datedNow(): Promise<number | null> {
    const answer = await this.send({ method: 'GET', url: this.target.metadataUrl });
    const atMs = Date.parse(headerOf(answer, 'date') ?? '');
    return Number.isNaN(atMs) ? null : atMs;
  }

  /** Sends a request and remembers what in its answer must never be printed. */
  readonly send = async (order: Order): Promise<Answer> => {
    const answer = await send(order);
    for (const [secret] of answer.text.matchAll(SECRETS)) this.#hide(secret);
    for (const name of ['access_token', 'refresh_token', 'id_token', 'secret']) {
      this.#hide(new RegExp(`"${name}"\\s*:\\s*"([^"]+)"`).exec(answer.text)?.[1]);
    }
    return answer;
  };

  /** A request without a token. */
  async anonymous(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return await this.send({ method, url: `${this.target.baseUrl}${path}`, headers });
  }

  oauth(app: TargetApp = this.shop.apps.main): OAuthClient {
    return new OAuthClient(this.target, app, this.send);
  }

  /** Has a request approved; returns where the browser was sent, null when it was sent nowhere. */
  async follow(
    request: AuthorizationRequest,
    member: TargetMember = this.shop.members.owner,
  ): Promise<URL | null> {
    const url = await this.control.approve(request.url, member);
    this.#hide(url?.searchParams.get('code') ?? undefined);
    return url;
  }

  /** Has a request approved; returns where the browser was sent. */
  async approve(request: AuthorizationRequest, member?: TargetMember): Promise<URL> {
    const url = await this.follow(request, member);
    expect(url !== null, 'the browser to be sent back after the approval', 'a page');
    return url;
  }

  /** Has a request approved; returns the code. */
  async code(request: AuthorizationRequest, member?: TargetMember): Promise<string> {
    const url = await this.approve(request, member);
    const code = url.searchParams.get('code');
    expect(code !== null, 'a code in the redirect after the approval', [
      ...url.searchParams.keys(),
    ]);
    return code;
  }

  /** A fresh approval: tokens, and no call yet. */
  async approved(actor: Actor = {}): Promise<Caller> {
    const shop = actor.shop ?? this.shop;
    const app = actor.app ?? shop.apps.main;
    const oauth = this.oauth(app);
    const request = oauth.request(actor.changes);
    const code = await this.code(request, actor.member ?? shop.members.owner);
    const answer = await oauth.exchange(code, request);
    expectStatus(answer, 200);
    return this.caller(app, tokensOf(answer));
  }

  /** A fresh approval whose connection is active. */
  async connected(actor: Actor = {}): Promise<Caller> {
    const caller = await this.approved(actor);
    expectSuccess(await caller.post('/connection'));
    return caller;
  }

  /** An approval whose connection is active, shared by all tests of a run that name the same actor. */
  async kept(actor: Actor = {}): Promise<Caller> {
    const shop = actor.shop ?? this.shop;
    const app = actor.app ?? shop.apps.main;
    const email = (actor.member ?? shop.members.owner).email;
    const key = JSON.stringify([app.clientId, email, actor.changes ?? {}]);
    const known = this.#kept.get(key) ?? this.connected(actor);
    this.#kept.set(key, known);
    known.catch(() => this.#kept.delete(key));
    return await known;
  }

  /** Tokens for nothing: a caller that the target has never approved. */
  stranger(accessToken = 'none'): Caller {
    return this.caller(this.shop.apps.main, { accessToken, refreshToken: null, scope: '' });
  }

  /** An app with tokens that it has already. */
  caller(app: TargetApp, tokens: Tokens): Caller {
    return new Caller(this.target.baseUrl, { app, oauth: this.oauth(app) }, tokens, this.send);
  }

  /** The suite's receiver of notices; `not_run` when this target sends none to loopback. */
  async receiver(): Promise<Receiver> {
    const url = present(
      this.target.webhook.receiverUrl,
      'webhook.receiverUrl: it sends nothing to loopback',
    );
    return await openReceiver(url);
  }

  /** A text without any token, secret, code or password of this run. */
  redact(text: string): string {
    let result = text;
    for (const secret of this.#secrets) {
      result = result
        .replaceAll(secret, '[secret]')
        .replaceAll(encodeURIComponent(secret), '[secret]');
    }
    return result.replaceAll(SECRETS, '[secret]');
  }

  #hide(secret: string | undefined): void {
    if (secret !== undefined && secret.length >= SECRET_CHARACTERS_MIN) this.#secrets.add(secret);
  }
}

/** What looks like a secret wherever it stands: signing secrets, and Bearer or Basic credentials. */
const SECRETS = /whsec_[A-Za-z0-9+/=_-]+|(?<=\b(?:Bearer|Basic) )[A-Za-z0-9\-._~+/]{16,}=*/g;
/** Clocks that lie closer together are the same. */
const DATE_APART_MS = 3_000;
/** Shorter texts are words that a message may need. */
const SECRET_CHARACTERS_MIN = 8;

/** The tokens of an answer of the token address. Fails when there is no access token. */
export function tokensOf(answer: Answer): Tokens {
  const body = jsonOf(answer);
  const member = (name: string): string | null => {
    const value = isObject(body) ? body[name] : undefined;
    return typeof value === 'string' ? value : null;
  };
  const accessToken = member('access_token');
  expect(
    accessToken !== null,
    'an access_token in the token answer',
    Object.keys(isObject(body) ? body : {}),
  );
  return { accessToken, refreshToken: member('refresh_token'), scope: member('scope') ?? '' };
}

function present<Value>(value: Value | null, what: string): Value {
  if (value === null) throw new NotRun(`the target has no ${what}`);
  return value;
}
