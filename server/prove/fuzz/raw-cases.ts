import { makeProbes } from '../../test/malformed-http.ts';
import { exchangeRaw, type ClientClose, readResponses } from '../../test/raw-socket.ts';
import type { Answer, SentRequest } from './journal.ts';
import type { AnswerChecker } from './answer-checker.ts';
import { mutateBytes } from './mutation.ts';
import type { Random } from './random.ts';
import type { CaseContext } from './case-context.ts';

/** The time limit of an exchange, longer than the server's: 10 s for headers, 60 s for a body. */
const EXCHANGE_MS_MAX = 100_000;
/** The number of clients that wait at the same time. */
const WAITING = 6;
const PIPELINED_MAX = 6;
/** The last request of a pipeline. The server closes the connection after its answer. */
const LAST = Buffer.from('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

interface RawRequest {
  readonly name: string;
  readonly bytes: Buffer;
  readonly isHead?: boolean | undefined;
}

/** Cases that send bytes that are not, or not quite, HTTP. */
export class RawCases {
  readonly #context: CaseContext;
  readonly #checker: AnswerChecker;
  readonly #probes = makeProbes();

  constructor(context: CaseContext, checker: AnswerChecker) {
    this.#context = context;
    this.#checker = checker;
  }

  async run(random: Random): Promise<void> {
    const made = this.#make(random);
    const patient = made.name === 'pipelined' ? 'never' : 'at_answer_or_soon';
    const ourEnd = random.chance(25) ? 'at_once' : patient;
    const { sender } = this.#context;
    await sender.runConcurrently(async () => await this.#exchange(random.name, made, ourEnd));
  }

  /**
   * Runs clients that stop in the middle of a request and wait until the server times out, which
   * takes a minute.
   */
  async wait(random: Random): Promise<void> {
    const waiting = Array.from({ length: WAITING }, async () => {
      const whole = this.#request(random);
      const bytes = whole.subarray(0, 1 + random.below(whole.length - 2));
      await this.#exchange(random.name, { name: 'waiting', bytes }, 'never');
    });
    await Promise.all(waiting);
  }

  #make(random: Random): RawRequest {
    const whole = this.#request(random);
    const name = random.weigh({ probe: 3, mutated: 3, cut: 2, pipelined: 2 });
    switch (name) {
      case 'probe': {
        const { bytes, isHead } = random.pick(this.#probes);
        return { name, bytes: Buffer.from(bytes, 'latin1'), isHead };
      }
      case 'mutated':
        return { name, bytes: mutateBytes(random, whole) };
      case 'cut':
        return { name, bytes: whole.subarray(0, random.below(whole.length)) };
      case 'pipelined': {
        const length = 1 + random.below(PIPELINED_MAX);
        const parts = Array.from({ length }, () => this.#request(random));
        return { name, bytes: Buffer.concat([...parts, LAST]) };
      }
    }
  }

  /** Returns the bytes of a complete request. */
  #request(random: Random): Buffer {
    const { scene, pools } = this.#context;
    const id = pools.id(random, 'unit');
    const text = JSON.stringify({ priceMinor: random.below(9_000) });
    const line = JSON.stringify({ id, priceMinor: random.below(9_000) });
    const size = line.length.toString(16);
    const [start, headers] = random.pick([
      [`GET /shop/v1/units/${id}`, '\r\n'],
      ['GET /partner/v1/cards?search=x', '\r\n'],
      [
        `PUT /shop/v1/units/${id}`,
        `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      ],
      [
        'POST /shop/v1/units/batch',
        `Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n${line}\r\n0\r\n\r\n`,
      ],
    ] as const);
    const common = `Host: x\r\nAuthorization: Bearer ${scene.shopKey}\r\n`;
    return Buffer.from(`${start} HTTP/1.1\r\n${common}${headers}`);
  }

  async #exchange(
    caseName: string,
    { name, bytes, isHead = false }: RawRequest,
    ourEnd: ClientClose,
  ): Promise<void> {
    const { sender, journal } = this.#context;
    const method = isHead ? 'HEAD' : 'RAW';
    const sent: SentRequest = {
      area: 'raw',
      caseName,
      label: name,
      method,
      path: ourEnd,
      body: bytes,
    };
    const beganMs = performance.now();
    try {
      const came = await exchangeRaw(sender.port, bytes, ourEnd, EXCHANGE_MS_MAX);
      for (const response of readResponses(came, () => isHead)) {
        const { status, headers, body } = response;
        const ms = performance.now() - beganMs;
        const received = Object.fromEntries(headers);
        const answer: Answer = { status, headers: received, body: Buffer.from(body), ms };
        journal.note(sent, answer);
        this.#checker.check(sent, answer, null);
      }
    } catch (error) {
      journal.fail(`incomplete or malformed response: ${String(error).slice(0, 60)}`, sent, null);
    }
  }
}
