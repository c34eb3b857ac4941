import type { Answer, SentRequest } from './journal.ts';
import type { Random } from './random.ts';
import type { CaseContext } from './case-context.ts';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** The page that a browser has reached. */
export interface Page {
  readonly answer: Answer;
  readonly sent: SentRequest;
  /** The full URL. It is on another origin if the last answer redirected there. */
  readonly url: string;
  readonly text: string;
}

/** The body of a request and its type. */
export interface RequestBody {
  readonly body: Buffer;
  readonly type: string;
}

const REDIRECTS_MAX = 8;

/** Allowed statuses of pages and forms. 503 is counted separately. */
export const PAGE_STATUSES = [
  200, 302, 303, 304, 400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 417, 422, 429, 431,
];

/**
 * A browser without scripts. It checks every answer, keeps cookies by path, and follows redirects
 * within the service.
 */
export class Browser {
  readonly #context: CaseContext;
  readonly #area: string;
  #cookies: Cookie[] = [];

  constructor(context: CaseContext, area: string, session: string | null) {
    this.#context = context;
    this.#area = area;
    if (session !== null) this.#cookies = [{ name: 'cardport_session', value: session, path: '/' }];
  }

  /** Sends a request and follows redirects. Returns the page, or null if there was no answer. */
  async go(
    { name: caseName }: Pick<Random, 'name'>,
    method: string,
    target: string,
    load: RequestBody | null = null,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Page | null> {
    const { origin, sender } = this.#context;
    let [verb, next, sentLoad] = [method, target, load];
    for (let count = 0; count <= REDIRECTS_MAX; count++) {
      const cookie = this.#cookieHeader(next);
      const sent: SentRequest = {
        area: this.#area,
        caseName,
        label: `${verb} ${patternOf(next)}`,
        method: verb,
        path: next,
        headers: {
          ...more,
          ...(cookie === '' ? {} : { cookie }),
          ...(sentLoad === null ? {} : { 'content-type': sentLoad.type }),
        },
        body: sentLoad?.body ?? null,
      };
      const answer = await sender.send(sent, PAGE_STATUSES);
      if (answer === null) return null;
      this.#keep(answer, next);
      const { location } = answer.headers;
      const url = new URL(typeof location === 'string' ? location : next, `${origin}${next}`);
      const page = { answer, sent, url: url.href, text: answer.body.toString() };
      if (typeof location !== 'string' || answer.status >= 400 || url.origin !== origin) {
        return page;
      }
      [verb, next, sentLoad] = ['GET', `${url.pathname}${url.search}`, null];
    }
    return null;
  }

  /** Begins to send a form, and disconnects after some bytes of its body. */
  async cut(target: string, { body, type }: RequestBody, bytes: number): Promise<void> {
    const headers = { cookie: this.#cookieHeader(target), 'content-type': type };
    await this.#context.sender.cut(target, headers, body, bytes);
  }

  #cookieHeader(target: string): string {
    const [path = ''] = target.split('?');
    return this.#cookies
      .filter((each) => path.startsWith(each.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep({ headers }: Answer, target: string): void {
    const lines = headers['set-cookie'];
    for (const line of Array.isArray(lines) ? lines : []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? target;
      this.#cookies = this.#cookies.filter((each) => each.name !== name || each.path !== path);
      const isGone = /max-age=0|expires=thu, 01 jan 1970/i.test(line);
      if (!isGone) this.#cookies.push({ name, value, path });
    }
  }
}

/** Encodes a form's fields as a browser does. */
export function encodeForm(fields: readonly (readonly [string, string])[]): RequestBody {
  const pairs = fields.map(([name, value]): [string, string] => [name, value.toWellFormed()]);
  const body = Buffer.from(new URLSearchParams(pairs).toString());
  return { body, type: 'application/x-www-form-urlencoded' };
}

/** Returns a path with `:id` in place of each id. */
export function patternOf(target: string): string {
  const [path = ''] = target.split('?');
  return path
    .split('/')
    .map((step) =>
      /[0-9]|[^a-z-]/.test(step.replace(/\.(?:csv|ndjson|json|js|css)$/, '')) &&
      !/^(?:oauth2|v1)$/.test(step)
        ? ':id'
        : step,
    )
    .join('/')
    .slice(0, 120);
}
