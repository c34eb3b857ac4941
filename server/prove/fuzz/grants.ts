import { type AuthorizationFlow, tokensOf } from './authorization-flow.ts';
import type { SentRequest } from './journal.ts';
import type { Random } from './random.ts';
import { APP_NAMES, type AppName, type Person } from './scene.ts';
import type { Tools } from './tools.ts';

/** What an app holds of one approval. */
export interface Grant {
  readonly app: AppName;
  readonly clientId: string;
  accessToken: string;
  refreshToken: string | null;
  /** One that was used: it may never be good again. */
  spentToken: string | null;
  /** `performance.now()` of the access token. */
  sinceMs: number;
}

/** Fewer, and the next case approves once more. */
const GRANTS_MIN = 6;
const GRANTS_MAX = 24;
/** An access token lives 15 minutes. */
const TOKEN_MS_MAX = 13 * 60_000;

/** The approvals that cases work with; new ones take the place of those that were used up. */
export class Grants {
  readonly #tools: Tools;
  readonly #flow: AuthorizationFlow;
  #live: Grant[] = [];
  #opening = 0;

  constructor(tools: Tools, flow: AuthorizationFlow) {
    this.#tools = tools;
    this.#flow = flow;
  }

  /** A grant with a connection, made when there are too few. */
  async take(random: Random, caseName: string): Promise<Grant | undefined> {
    const now = performance.now();
    this.#live = this.#live.filter(({ sinceMs }) => now - sinceMs < TOKEN_MS_MAX);
    if (this.#live.length + this.#opening < GRANTS_MIN) {
      this.#opening += 1;
      try {
        const person = random.weigh<Person>({ owner: 6, clerk: 2, bare: 1, stranger: 0 });
        await this.open(random, caseName, random.pick([...APP_NAMES, 'all', 'all']), person);
      } finally {
        this.#opening -= 1;
      }
    }
    return this.#live.length === 0 ? undefined : random.pick(this.#live);
  }

  /** Goes through the whole flow, from the authorization request to the open connection. */
  async open(
    random: Random,
    caseName: string,
    app: AppName,
    person: Person,
  ): Promise<Grant | null> {
    const request = this.#flow.request(random, app);
    const [browser, page] = await this.#flow.open(caseName, request.fields, person);
    const code = await this.#flow.decide(caseName, browser, page, 'allow');
    if (code === null) return null;
    const fields = this.#flow.exchangeFields(request, code);
    const [, answer] = await this.#flow.post(
      caseName,
      '/auth/oauth2/token',
      request.client,
      fields,
    );
    if (answer?.status === 401) await this.#tools.scene.renewClient(app);
    const tokens = tokensOf(answer);
    if (tokens === null) return null;
    const grant: Grant = {
      app,
      clientId: request.client.clientId,
      accessToken: tokens.access,
      refreshToken: tokens.refresh,
      spentToken: null,
      sinceMs: performance.now(),
    };
    await this.#connect(caseName, grant);
    if (this.#live.length < GRANTS_MAX) this.#live.push(grant);
    else this.#live[random.below(GRANTS_MAX)] = grant;
    return grant;
  }

  async #connect(caseName: string, { accessToken }: Grant): Promise<void> {
    const sent: SentRequest = {
      area: 'partner',
      caseName,
      label: 'openConnection',
      method: 'POST',
      path: '/partner/v1/connection',
      headers: { authorization: `Bearer ${accessToken}` },
      body: null,
    };
    const answer = await this.#tools.wire.send(sent);
    if (answer !== null) this.#tools.judge.check(sent, answer, [200, 201, 401, 403]);
  }

  /** Leaves out a grant whose token was refused for good. */
  doubt(accessToken: string, answer: string): void {
    if (!/"(?:invalid_token|connection_revoked)"/.test(answer)) return;
    this.#live = this.#live.filter((grant) => grant.accessToken !== accessToken);
  }

  drop(grant: Grant): void {
    this.#live = this.#live.filter((each) => each !== grant);
  }
}
