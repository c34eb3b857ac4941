import { isObject } from '../../test/docs-shape.ts';
import {
  kindOf,
  mutateRequest,
  type RequestMaterials,
  targetOf,
  validRequest,
} from './api-request.ts';
import type { Contract, Operation } from './contract.ts';
import type { Answer, SentRequest } from './journal.ts';
import type { Random } from './random.ts';
import type { Grants } from './grants.ts';
import type { Tools } from './tools.ts';

/** What a request may be told that names no operation of the document, or breaks HTTP itself. */
const OUTSIDE = [400, 401, 403, 404, 405, 408, 413, 415, 417, 431];

/** With the headers behind it, a longer one may be more than Node reads of a request's head. */
const LONG_TARGET_CHARACTERS = 14_000;

/** Who asks, and whether they may. */
interface Credentials {
  readonly authorization: string | null;
  readonly isGood: boolean;
}

/** Requests of both APIs, by their own documents. */
export class ApiCases {
  readonly #tools: Tools;
  readonly #grants: Grants;
  readonly #contracts: Readonly<Record<'partner' | 'shop', Contract>>;
  readonly #materials: RequestMaterials;

  constructor(
    tools: Tools,
    grants: Grants,
    contracts: Readonly<Record<'partner' | 'shop', Contract>>,
    materials: RequestMaterials,
  ) {
    this.#tools = tools;
    this.#grants = grants;
    this.#contracts = contracts;
    this.#materials = materials;
  }

  async run(api: 'partner' | 'shop', random: Random, caseName: string): Promise<void> {
    const contract = this.#contracts[api];
    const [first, second] = [random.pick(contract.operations), random.pick(contract.operations)];
    // What ends things comes less often than what works on them.
    const isEnd = first.method === 'delete' || first.id.startsWith('end');
    const operation = isEnd && random.chance(60) ? second : first;
    const made = validRequest(random, operation, this.#materials);
    const wrongs = random.pick([0, 0, 1, 1, 1, 3]);
    for (let count = 0; count < wrongs; count++) mutateRequest(random, made);
    const credentials = await this.#credentials(api, random, caseName, wrongs === 0 ? 3 : 12);
    const { authorization } = credentials;
    const path = targetOf(contract.base, made);
    // What the request has become by its mutations.
    const actual = findOperation(contract, made.method, made.steps);
    const sent: SentRequest = {
      area: api,
      caseName,
      label: actual?.id ?? `no operation (${made.method})`,
      method: made.method,
      path,
      headers: { ...made.headers, ...(authorization === null ? {} : { authorization }) },
      body: made.method === 'HEAD' || made.method === 'TRACE' ? null : made.body,
    };
    const answer = await this.#tools.wire.send(sent);
    if (answer === null) return;
    this.#judge(contract, actual, sent, answer, made.isOdd);
    if (!credentials.isGood && answer.status < 400) {
      this.#tools.journal.fail('it is answered without a credential', sent, answer);
    }
    await this.#settle(api, random, sent, answer, actual);
  }

  async #credentials(
    api: 'partner' | 'shop',
    random: Random,
    caseName: string,
    wrongPercent: number,
  ): Promise<Credentials> {
    const grant = await this.#grants.take(random, caseName);
    const { shopKey } = this.#tools.scene;
    const good = api === 'shop' ? shopKey : (grant?.accessToken ?? 'none');
    if (!random.chance(wrongPercent)) return { authorization: `Bearer ${good}`, isGood: true };
    const other = api === 'shop' ? (grant?.accessToken ?? 'none') : shopKey;
    const wrong = [
      null,
      'Bearer',
      'Bearer x',
      `Bearer ${other}`,
      `Bearer ${good.slice(0, -1)}`,
      `Bearer ${good.toLowerCase()}0`,
      `Basic ${Buffer.from(`x:${good}`).toString('base64')}`,
      `Bearer ${good}, Bearer ${good}`,
      `Bearer ${'a'.repeat(4_000)}`,
      `Digest ${good}`,
    ];
    return { authorization: random.pick(wrong), isGood: false };
  }

  #judge(
    contract: Contract,
    operation: Operation | undefined,
    sent: SentRequest,
    answer: Answer,
    isOdd: boolean,
  ): void {
    const { judge, journal } = this.#tools;
    const { status, headers, body } = answer;
    const isLong = sent.path.length > LONG_TARGET_CHARACTERS;
    const isRefusedByHttp =
      (isOdd && [400, 408, 413, 415, 417, 431].includes(status)) || (isLong && status === 431);
    const isOutside = operation === undefined || isRefusedByHttp;
    if (!judge.check(sent, answer, isOutside ? OUTSIDE : null) || isOutside) return;
    if (status >= 500 || sent.method === 'HEAD') return;
    const type = String(headers['content-type'] ?? '');
    const fault = contract.check(operation, status, type, body);
    if (fault !== null) journal.fail(fault, sent, answer);
  }

  /** Learns from the answer, and makes good what the case has used up. */
  async #settle(
    api: 'partner' | 'shop',
    random: Random,
    sent: SentRequest,
    { status, headers, body }: Answer,
    operation: Operation | undefined,
  ): Promise<void> {
    const { scene, pools } = this.#tools;
    if (
      api === 'shop' &&
      status === 401 &&
      sent.headers['authorization'] === `Bearer ${scene.shopKey}`
    ) {
      await scene.renewKey();
    }
    if (api === 'partner' && (status === 401 || status === 403 || sent.method === 'DELETE')) {
      const token = sent.headers['authorization']?.slice('Bearer '.length) ?? '';
      this.#grants.doubt(token, body.toString());
    }
    if (status >= 300 || operation === undefined) return;
    const steps = sent.path.split(/[/?]/);
    if (operation.id === 'putPhoto') pools.addPair('photo', [steps[4] ?? '', steps[6] ?? '']);
    if (operation.id === 'addBoostPurchase') {
      const purchase: unknown = JSON.parse(String(sent.body));
      const id = isObject(purchase) ? String(purchase['id']) : '';
      pools.addPair('purchase', [steps[4] ?? '', id]);
    }
    if (typeof headers['etag'] === 'string') pools.etag = headers['etag'];
    if (!String(headers['content-type']).startsWith('application/json') || body.length === 0) {
      return;
    }
    const value: unknown = JSON.parse(body.toString());
    pools.learn(random, kindOf(operation.path.split('/')[1] ?? ''), value);
  }
}

/** The operation that a method and path name; the method of HEAD is that of GET. */
function findOperation(
  contract: Contract,
  method: string,
  steps: readonly string[],
): Operation | undefined {
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const isFitting = ({ path, method: its }: Operation): boolean => {
    const parts = path.split('/').slice(1);
    const matches = parts.every((part, at) => {
      const step = steps[at] ?? '';
      return part.startsWith('{') ? step !== '' && isDecodable(step) : part === step;
    });
    return its === wanted && parts.length === steps.length && matches;
  };
  const found = contract.operations.filter(isFitting);
  // The one with the fewest parameters: `/units/batch` before `/units/{id}`.
  return found.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

function isDecodable(step: string): boolean {
  try {
    decodeURIComponent(step);
    return true;
  } catch {
    return false;
  }
}
