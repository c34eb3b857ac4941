import { type AuthorizationFlow, TOKEN_PATH, tokensOf } from './authorization-flow.ts';
import type { Answer, SentRequest } from './journal.ts';
import type { Random } from './random.ts';
import { APP_NAMES, type AppName, type Person } from './scene.ts';
import type { CaseContext } from './case-context.ts';

/** The tokens that an app has from one approval. */
export interface Grant {
  readonly app: AppName;
  readonly clientId: string;
  accessToken: string;
  refreshToken: string | null;
  /** A used refresh token, which must never be valid again. */
  spentToken: string | null;
  /** When the access token was issued, by `performance.now()`. */
  sinceMs: number;
}

/** With fewer grants, the next case makes a new approval. */
const GRANTS_MIN = 6;
/** Older grants are dropped, because access tokens are valid for 15 minutes. */
const TOKEN_MS_MAX = 13 * 60_000;

/** The approvals that cases use. New approvals replace those that can no longer be used. */
export class Grants {
  readonly #context: CaseContext;
  readonly #flow: AuthorizationFlow;
  #live: Grant[] = [];
  #opening = 0;

  constructor(context: CaseContext, flow: AuthorizationFlow) {
    this.#context = context;
    this.#flow = flow;
  }

  /** Returns a random grant with a connection. Creates one first if there are too few. */
  async take(random: Random): Promise<Grant | undefined> {
    const now = performance.now();
    this.#live = this.#live.filter(({ sinceMs }) => now - sinceMs < TOKEN_MS_MAX);
    if (this.#live.length + this.#opening < GRANTS_MIN) {
      this.#opening += 1;
      try {
        const person = random.weigh<Person>({ owner: 6, clerk: 2, bare: 1, stranger: 0 });
        await this.#open(random, random.pick([...APP_NAMES, 'all', 'all']), person);
      } finally {
        this.#opening -= 1;
      }
    }
    return this.#live.length === 0 ? undefined : random.pick(this.#live);
  }

  /** Performs the whole flow, from the authorization request to the open connection. */
  async #open(random: Random, app: AppName, person: Person): Promise<void> {
    const request = this.#flow.request(random, app);
    const [browser, page] = await this.#flow.open(random, request.fields, person);
    const code = await this.#flow.decide(random, browser, page, 'allow');
    if (code === null) return;
    const fields = this.#flow.exchangeFields(request, code);
    const [, answer] = await this.#flow.post(random, TOKEN_PATH, request.client, fields);
    // 401: a case has removed the app or its secret.
    if (answer?.status === 401) await this.#context.scene.renewClient(app);
    const tokens = tokensOf(answer);
    if (tokens === null) return;
    await this.callConnection(random, 'POST', tokens.access);
    this.#live.push({
      app,
      clientId: request.client.clientId,
      accessToken: tokens.access,
      refreshToken: tokens.refresh,
      spentToken: null,
      sinceMs: performance.now(),
    });
  }

  /** Opens or shows the token's connection. */
  async callConnection(
    random: Random,
    method: 'GET' | 'POST',
    accessToken: string,
  ): Promise<[SentRequest, Answer | null]> {
    const sent: SentRequest = {
      area: 'partner',
      caseName: random.name,
      label: method === 'GET' ? 'getConnection' : 'openConnection',
      method,
      path: '/partner/v1/connection',
      headers: { authorization: `Bearer ${accessToken}` },
    };
    return [sent, await this.#context.sender.send(sent, [200, 201, 401, 403])];
  }

  /** Drops a grant if its token was refused permanently. */
  dropIfRefused(accessToken: string, answer: string): void {
    if (!/"(?:invalid_token|connection_revoked)"/.test(answer)) return;
    this.#live = this.#live.filter((grant) => grant.accessToken !== accessToken);
  }

  drop(grant: Grant): void {
    this.#live = this.#live.filter((each) => each !== grant);
  }
}
