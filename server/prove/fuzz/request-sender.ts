import { Agent, request } from 'node:http';
import type { Answer, Journal, SentRequest } from './journal.ts';
import type { AnswerChecker } from './answer-checker.ts';

/**
 * The time limit for an answer, which is enough on a busy machine. A request that exceeds the limit
 * is sent once more, while no other request runs.
 */
const ANSWER_MS_MAX = 30_000;
/** The server may close the connection while it receives a body of this size or more. */
const CUT_BODY_BYTES = 16_384;
/** Slightly below Node's limit for a request head. */
const HEAD_BYTES_MAX = 16_000;

type Outcome = Answer | 'late' | 'cut';

/** Sends requests to the service under test and distinguishes a hang from a busy machine. */
export class RequestSender {
  readonly port: number;
  readonly #journal: Journal;
  readonly #checker: AnswerChecker;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  #underWay = 0;
  #open: Promise<void> = Promise.resolve();

  constructor(port: number, journal: Journal, checker: AnswerChecker) {
    this.port = port;
    this.#journal = journal;
    this.#checker = checker;
  }

  /**
   * Sends a request and checks the answer. If there is no answer, records a failure and returns
   * null. `statuses` is passed to `AnswerChecker.check`.
   */
  async send(sent: SentRequest, statuses: readonly number[] | null = null): Promise<Answer | null> {
    const first = await this.runConcurrently(async () => await this.#exchange(sent, this.#agent));
    const outcome =
      typeof first === 'string'
        ? await this.#alone(async () => await this.#exchange(sent, new Agent()))
        : first;
    if (typeof outcome !== 'string') {
      this.#journal.note(sent, outcome);
      this.#checker.check(sent, outcome, statuses);
      return outcome;
    }
    const isRefusedUpload = (sent.body?.length ?? 0) >= CUT_BODY_BYTES;
    // The server sends a 431 with a body even to a HEAD request, and Node cannot parse that
    // response.
    const headCharacters = sent.path.length + JSON.stringify(sent.headers ?? {}).length;
    const isLongHead = sent.method === 'HEAD' && headCharacters > HEAD_BYTES_MAX;
    if (outcome === 'late' || !(isRefusedUpload || isLongHead)) {
      const kind =
        outcome === 'late'
          ? 'it hangs, even without other requests'
          : 'the connection was cut, even without other requests';
      this.#journal.fail(kind, sent, null);
    }
    return null;
  }

  /** Sends the first bytes of a POST, then disconnects. */
  async cut(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    bytes: number,
  ): Promise<void> {
    await this.runConcurrently(async () => {
      const all = { ...headers, 'content-length': body.length };
      const host = '127.0.0.1';
      const outgoing = request({
        host,
        port: this.port,
        agent: false,
        method: 'POST',
        path,
        headers: all,
      });
      const closed = new Promise((resolve) => outgoing.once('close', resolve));
      outgoing.on('error', () => null);
      outgoing.write(body.subarray(0, bytes), () => outgoing.destroy());
      await closed;
    });
  }

  /** Runs `work` concurrently with other requests. */
  async runConcurrently<T>(work: () => Promise<T>): Promise<T> {
    await this.#open;
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Runs `work` when no other request is in progress. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#open;
    const turn = Promise.withResolvers<void>();
    this.#open = turn.promise;
    try {
      await before;
      const untilMs = performance.now() + 2 * ANSWER_MS_MAX;
      while (this.#underWay > 0 && performance.now() < untilMs) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return await work();
    } finally {
      turn.resolve();
    }
  }

  async #exchange(sent: SentRequest, agent: Agent): Promise<Outcome> {
    const beganMs = performance.now();
    return await new Promise((resolve) => {
      const { method, path, body = null } = sent;
      const headers = {
        ...(body === null ? {} : { 'content-length': body.length }),
        ...sent.headers,
      };
      const host = '127.0.0.1';
      const outgoing = request({ host, port: this.port, agent, method, path, headers });
      const timer = setTimeout(() => {
        resolve('late');
        outgoing.destroy();
      }, ANSWER_MS_MAX);
      outgoing.once('error', () => resolve('cut'));
      outgoing.once('close', () => clearTimeout(timer));
      outgoing.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', () => resolve('cut'));
        response.once('end', () => {
          const ms = performance.now() - beganMs;
          const { statusCode = 0, headers: received } = response;
          resolve({ status: statusCode, headers: received, body: Buffer.concat(chunks), ms });
        });
      });
      outgoing.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
