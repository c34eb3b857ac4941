import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBytes } from './bytes.ts';
import { RuleViolation } from './expect.ts';

/** A notice as it was received. */
export interface ReceivedNotice {
  readonly method: string;
  /** Path and query of the request. */
  readonly path: string;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The raw body, decoded as UTF-8. */
  readonly body: string;
  /** The time when the request was complete, in milliseconds of the suite's clock. */
  readonly receivedAtMs: number;
}

/** The suite's notice receiver on loopback. */
export interface Receiver {
  /** The URL to register. */
  readonly url: string;
  /** Sets the response to later notices. The default is 204. */
  answerWith(status: number, headers?: Readonly<Record<string, string>>): void;
  /** All notices so far. */
  readonly notices: readonly ReceivedNotice[];
  /**
   * Waits until more than `count` notices have arrived and returns the next one. Fails after 15 s.
   */
  nextAfter(count: number): Promise<ReceivedNotice>;
  close(): Promise<void>;
}

/**
 * A first notice (due within 1 s) and a first retry (due after 5 s) arrive within this time, even
 * on a busy machine.
 */
const NOTICE_WAIT_MS = 15_000;
const BODY_BYTES_MAX = 65_536;

/** Listens at the host and port of `receiverUrl`. */
export async function openReceiver(receiverUrl: string): Promise<Receiver> {
  const address = new URL(receiverUrl);
  const notices: ReceivedNotice[] = [];
  const waiting = new Set<() => void>();
  let status = 204;
  let headers: Readonly<Record<string, string>> = {};
  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const notice = await readNotice(request);
      response.writeHead(status, headers).end();
      notices.push(notice);
      for (const wake of waiting) wake();
    } catch {
      // The request is incomplete or invalid. The test that waits for a notice fails.
      response.writeHead(400).end();
    }
  }
  const server = createServer((request, response) => {
    void handleRequest(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(address.port), address.hostname, resolve);
  });
  return {
    url: urlOf(address, server.address()),
    answerWith: (nextStatus, nextHeaders = {}) => {
      status = nextStatus;
      headers = nextHeaders;
    },
    notices,
    nextAfter: async (count) => {
      const deadlineMs = Date.now() + NOTICE_WAIT_MS;
      while (notices.length <= count) {
        const leftMs = deadlineMs - Date.now();
        if (leftMs <= 0) {
          throw new RuleViolation(
            `expected an event at the webhook, but got none within ${NOTICE_WAIT_MS / 1000} s`,
          );
        }
        await waitForWake(leftMs, waiting);
      }
      const notice = notices[count];
      if (notice === undefined) {
        throw new Error('the receiver counted an event that it does not have');
      }
      return notice;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function urlOf(requested: URL, bound: AddressInfo | string | null): string {
  const url = new URL(requested);
  if (typeof bound === 'object' && bound !== null) url.port = String(bound.port);
  return url.href;
}

async function waitForWake(ms: number, waiting: Set<() => void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    waiting.add(wake);
  });
}

async function readNotice(request: IncomingMessage): Promise<ReceivedNotice> {
  const body = await readBytes(request, BODY_BYTES_MAX);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers,
    body: body.toString('utf8'),
    receivedAtMs: Date.now(),
  };
}

/**
 * Returns the signature of section 6 of the specification: the hexadecimal HMAC-SHA256 of
 * `<timestamp>.<body>`, with the secret string as the key.
 */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}
