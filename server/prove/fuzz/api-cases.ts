import { isObject } from '../../test/docs-shape.ts';
import {
  kindOf,
  mutateRequest,
  type RequestMaterials,
  targetOf,
  makeValidRequest,
} from './api-request.ts';
import type { Contract, Operation } from './contract.ts';
import type { Grants } from './grants.ts';
import type { Answer, SentRequest } from './journal.ts';
import type { Random } from './random.ts';
import { SCOPES_OF } from './scene.ts';
import type { CaseContext } from './case-context.ts';

/** Allowed statuses of a request that matches no operation of the document. */
const OUTSIDE = [400, 401, 403, 404, 405, 408, 413, 415, 417, 431];
/** Statuses with which the HTTP server may refuse a request with an odd header. */
const BY_HTTP = [400, 408, 413, 415, 417, 431];
/** Together with the headers, a longer target may exceed Node's limit for a request head. */
const LONG_TARGET_CHARACTERS = 14_000;

type Api = Operation['api'];

interface Credentials {
  readonly authorization: string | null;
  /** False if the service must refuse the request. */
  readonly isEntitled: boolean;
}

/** Requests to both APIs, derived from their OpenAPI documents. */
export class ApiCases {
  readonly #context: CaseContext;
  readonly #grants: Grants;
  readonly #contracts: Readonly<Record<Api, Contract>>;
  readonly #materials: RequestMaterials;

  constructor(
    context: CaseContext,
    grants: Grants,
    contracts: Readonly<Record<Api, Contract>>,
    pictures: RequestMaterials['pictures'],
  ) {
    this.#context = context;
    this.#grants = grants;
    this.#contracts = contracts;
    this.#materials = { pools: context.pools, pictures };
  }

  async run(api: Api, random: Random): Promise<void> {
    const contract = this.#contracts[api];
    const [first, second] = [random.pick(contract.operations), random.pick(contract.operations)];
    // Operations that end something are chosen less often than others, so that enough objects
    // remain.
    const isEnd = first.method === 'delete' || first.id.startsWith('end');
    const made = makeValidRequest(
      random,
      isEnd && random.chance(60) ? second : first,
      this.#materials,
    );
    const wrongs = random.pick([0, 0, 1, 1, 1, 3]);
    for (let count = 0; count < wrongs; count++) mutateRequest(random, made);
    // The mutations may have turned the request into a request for another operation.
    const operation = findOperation(contract, made.method, made.steps);
    const isWrong = random.chance(wrongs === 0 ? 5 : 12);
    const { authorization, isEntitled } = isWrong
      ? await this.#wrongCredentials(api, random, operation)
      : await this.#credentials(api, random, operation);
    const sent: SentRequest = {
      area: api,
      caseName: random.name,
      label: operation?.id ?? `no operation (${made.method})`,
      method: made.method,
      path: targetOf(contract.base, made),
      headers: { ...made.headers, ...(authorization === null ? {} : { authorization }) },
      body: made.method === 'HEAD' || made.method === 'TRACE' ? null : made.body,
    };
    const answer = await this.#context.sender.send(sent, operation === undefined ? OUTSIDE : null);
    if (answer === null) return;
    if (!isEntitled && answer.status < 400) {
      this.#context.journal.fail('data is returned to a caller without permission', sent, answer);
    }
    if (operation !== undefined) this.#compare(contract, operation, sent, answer, made.isOdd);
    await this.#settle(random, sent, answer, operation);
  }

  async #credentials(
    api: Api,
    random: Random,
    operation: Operation | undefined,
  ): Promise<Credentials> {
    const { scene } = this.#context;
    if (api === 'shop') return { authorization: `Bearer ${scene.shopKey}`, isEntitled: true };
    const grant = await this.#grants.take(random);
    const wanted = operation?.scopes ?? [];
    const has = grant === undefined ? [] : SCOPES_OF[grant.app].map(String);
    const isEntitled = wanted.length === 0 || wanted.some((scope) => has.includes(scope));
    return { authorization: `Bearer ${grant?.accessToken ?? 'none'}`, isEntitled };
  }

  async #wrongCredentials(
    api: Api,
    random: Random,
    operation: Operation | undefined,
  ): Promise<Credentials> {
    const { shopKey, strangersKey } = this.#context.scene;
    const { authorization } = await this.#credentials('partner', random, operation);
    const token = authorization?.slice('Bearer '.length) ?? '';
    const [good, other] = api === 'shop' ? [shopKey, token] : [token, shopKey];
    const texts = ['', ' x', ` ${other}`, ` ${good.slice(0, -1)}`, ` ${good.toLowerCase()}0`];
    const wrong = [...texts, ` ${good}, Bearer ${good}`, ` ${'a'.repeat(4_000)}`];
    const basic = `Basic ${Buffer.from(`x:${good}`).toString('base64')}`;
    const all = [null, basic, `Digest ${good}`, ...wrong.map((text) => `Bearer${text}`)];
    // Another shop's key must find none of these objects. It may create one with PUT, and all shops
    // share the grades.
    const isOfShop =
      operation?.path.includes('{') === true && !operation.path.startsWith('/grades');
    const isForStranger = api === 'shop' && isOfShop && operation.method !== 'put';
    const stranger = isForStranger ? Array.from({ length: 6 }, () => `Bearer ${strangersKey}`) : [];
    return { authorization: random.pick([...all, ...stranger]), isEntitled: false };
  }

  /** Compares an answer with the document's description of the operation. */
  #compare(
    contract: Contract,
    operation: Operation,
    sent: SentRequest,
    { status, headers, body, ms }: Answer,
    isOdd: boolean,
  ): void {
    const isLong = sent.path.length > LONG_TARGET_CHARACTERS && status === 431;
    const isByHttp = isLong || (isOdd && BY_HTTP.includes(status));
    if (isByHttp || status >= 500 || sent.method === 'HEAD') return;
    const type = String(headers['content-type'] ?? '');
    const isWritten = operation.method === 'put' && status < 300 && type.includes('json');
    const fault =
      contract.check(operation, status, type, body) ??
      (isWritten ? findEchoFault(sent.body, body) : null);
    if (fault !== null) this.#context.journal.fail(fault, sent, { status, headers, body, ms });
  }

  /** Stores ids from the answer, and replaces credentials that are no longer valid. */
  async #settle(
    random: Random,
    { area, path, body: sentBody, headers: { authorization = '' } = {} }: SentRequest,
    { status, headers, body }: Answer,
    operation: Operation | undefined,
  ): Promise<void> {
    const { scene, pools } = this.#context;
    const token = authorization.slice('Bearer '.length);
    if (area === 'shop' && status === 401 && token === scene.shopKey) await scene.renewKey();
    if (status === 401 || status === 403) this.#grants.dropIfRefused(token, body.toString());
    if (status >= 300 || operation === undefined) return;
    const steps = path.split(/[/?]/);
    if (operation.id === 'putPhoto') pools.addPair('photo', [steps[4] ?? '', steps[6] ?? '']);
    if (operation.id === 'addBoostPurchase') {
      const purchase: unknown = JSON.parse(String(sentBody));
      const id = isObject(purchase) ? String(purchase['id']) : '';
      pools.addPair('purchase', [steps[4] ?? '', id]);
    }
    if (typeof headers['etag'] === 'string') pools.etag = headers['etag'];
    const isJson = String(headers['content-type']).startsWith('application/json');
    if (!isJson || body.length === 0) return;
    const value: unknown = JSON.parse(body.toString());
    pools.learn(random, kindOf(operation.path.split('/')[1] ?? ''), value);
  }
}

/** Returns which member of an object is not shown as it was written, or null. */
function findEchoFault(sent: Buffer | null | undefined, shown: Buffer): string | null {
  const [members, answer] = [parsed(sent), parsed(shown)];
  const changed = Object.entries(members).find(([name, value]) => {
    const other = answer[name];
    if (typeof value === 'object' || !Object.hasOwn(answer, name)) return false;
    // Skip what the API normalizes: ids to lower case, instants to UTC, a blank note to null.
    if (name.endsWith('Id')) return typeof value === 'string' && value.toLowerCase() !== other;
    if (name.endsWith('At')) return false;
    return value !== other && name !== 'note';
  });
  return changed === undefined ? null : `${changed[0]} differs from the value that was written`;
}

function parsed(text: Buffer | null | undefined): Readonly<Record<string, unknown>> {
  if (text === null || text === undefined || text[0] !== 0x7b) return {};
  const value: unknown = JSON.parse(text.toString());
  return isObject(value) ? value : {};
}

/** Returns the operation of a method and path; HEAD counts as GET. */
function findOperation(
  { operations }: Contract,
  method: string,
  steps: readonly string[],
): Operation | undefined {
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = operations.filter(({ path, method: its }) => {
    const parts = path.split('/').slice(1);
    const isFitting = parts.every((part, at) =>
      part.startsWith('{') ? isDecodable(steps[at] ?? '') : part === steps[at],
    );
    return its === wanted && parts.length === steps.length && isFitting;
  });
  // Prefer the path with the fewest parameters, such as `/units/batch` over `/units/{id}`.
  return found.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

function isDecodable(step: string): boolean {
  try {
    return decodeURIComponent(step) !== '';
  } catch {
    return false;
  }
}
