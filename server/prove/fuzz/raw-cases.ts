import { makeProbes, type Probe } from '../../test/malformed-http.ts';
import {
  exchangeRaw,
  type OurEnd,
  type RawResponse,
  readResponses,
} from '../../test/raw-socket.ts';
import type { Answer, SentRequest } from './journal.ts';
import { mutateBytes } from './mutation.ts';
import type { Random } from './random.ts';
import type { Tools } from './tools.ts';

/** Behind the server's limits. */
const EXCHANGE_MS_MAX = 100_000;
/** Clients that wait at once. */
const WAITING = 6;
const PIPELINED_MAX = 6;

/** Bytes on a socket that are no HTTP, or only nearly. */
export class RawCases {
  readonly #tools: Tools;
  readonly #probes: readonly Probe[] = makeProbes();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async run(random: Random, caseName: string): Promise<void> {
    const { name, bytes, isHead } = this.#make(random);
    // A pipeline ends with a request that has the server close.
    const patient = name === 'pipelined' ? 'never' : 'at_answer_or_soon';
    const ourEnd = random.chance(25) ? 'at_once' : patient;
    await this.#exchange({ name, bytes, isHead, caseName }, ourEnd);
  }

  /** Requests that stop in the middle, from clients that wait for the server's own limits: 10 s for headers, 60 s for a body. */
  async wait(random: Random): Promise<void> {
    const cut = (): Buffer => {
      const whole = this.#request(random);
      return whole.subarray(0, 1 + random.below(whole.length - 2));
    };
    const halves = Array.from({ length: WAITING }, cut);
    const waiting = halves.map(async (bytes) => {
      await this.#exchange({ name: 'waiting', bytes, isHead: false, caseName: 'waiting' }, 'never');
    });
    await Promise.all(waiting);
  }

  async #exchange(
    {
      name,
      bytes,
      isHead,
      caseName,
    }: { name: string; bytes: Buffer; isHead: boolean; caseName: string },
    ourEnd: OurEnd,
  ): Promise<void> {
    const sent: SentRequest = {
      area: 'raw',
      caseName,
      label: name,
      method: isHead ? 'HEAD' : 'RAW',
      path: JSON.stringify(bytes.toString('latin1').slice(0, 600)),
      headers: {},
      body: bytes,
    };
    const { wire, journal } = this.#tools;
    const beganMs = performance.now();
    try {
      const exchange = async (): Promise<Buffer> =>
        await exchangeRaw(wire.port, bytes, ourEnd, EXCHANGE_MS_MAX);
      const came = await (ourEnd === 'never' ? exchange() : wire.besides(exchange));
      const responses = readResponses(came, () => isHead);
      for (const response of responses) this.#judge(sent, response, performance.now() - beganMs);
    } catch (error) {
      journal.fail(`not whole responses: ${String(error).slice(0, 60)}`, sent, null);
    }
  }

  #make(random: Random): { name: string; bytes: Buffer; isHead: boolean } {
    const probe = random.pick(this.#probes);
    switch (random.weigh({ probe: 3, mutated: 3, cut: 2, pipelined: 2 })) {
      case 'probe':
        return {
          name: 'probe',
          bytes: Buffer.from(probe.bytes, 'latin1'),
          isHead: probe.isHead === true,
        };
      case 'mutated':
        return {
          name: 'mutated',
          bytes: mutateBytes(random, this.#request(random)),
          isHead: false,
        };
      case 'cut': {
        const whole = this.#request(random);
        return { name: 'cut', bytes: whole.subarray(0, random.below(whole.length)), isHead: false };
      }
      case 'pipelined': {
        const count = 1 + random.below(PIPELINED_MAX);
        const parts = Array.from({ length: count }, () => this.#request(random));
        parts.push(Buffer.from('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'));
        return { name: 'pipelined', bytes: Buffer.concat(parts), isHead: false };
      }
    }
  }

  /** A whole request of the Shop API. */
  #request(random: Random): Buffer {
    const { scene, pools } = this.#tools;
    const head = `Host: x\r\nAuthorization: Bearer ${scene.shopKey}\r\n`;
    const unit = pools.id(random, 'unit');
    switch (random.below(4)) {
      case 0:
        return Buffer.from(`GET /shop/v1/units/${unit} HTTP/1.1\r\n${head}\r\n`);
      case 1: {
        const body = JSON.stringify({ priceMinor: random.below(9_000) });
        return Buffer.from(
          `PUT /shop/v1/units/${unit} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      }
      case 2: {
        const line = JSON.stringify({ id: unit, priceMinor: random.below(9_000) });
        return Buffer.from(
          `POST /shop/v1/units/batch HTTP/1.1\r\n${head}Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n${line.length.toString(16)}\r\n${line}\r\n0\r\n\r\n`,
        );
      }
      default:
        return Buffer.from(
          'GET /partner/v1/cards?search=x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n',
        );
    }
  }

  #judge(sent: SentRequest, { status, headers, body }: RawResponse, ms: number): void {
    const { journal, judge } = this.#tools;
    const answer: Answer = {
      status,
      headers: Object.fromEntries(headers),
      body: Buffer.from(body),
      ms,
    };
    journal.note(sent, answer);
    // Which of both APIs' error bodies it is, the bytes cannot tell.
    judge.check({ ...sent, path: 'detail' in toObject(body) ? '/shop/v1' : '/' }, answer, null);
  }
}

function toObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
