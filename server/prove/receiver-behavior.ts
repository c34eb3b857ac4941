import type { ServerResponse } from 'node:http';

/** How a receiver responds to deliveries. */
export const BEHAVIORS = [
  'ok',
  'no_content',
  'slow',
  'flapping',
  'too_many',
  'drip_body',
  'huge',
  'error',
  'hang',
  'drip_headers',
  'redirect',
  'reset',
  'gone',
  'bad_certificate',
] as const;
export type Behavior = (typeof BEHAVIORS)[number];

/**
 * Healthy receivers. They accept deliveries sooner or later, so they must learn of every change.
 */
export const ACCEPTING_BEHAVIORS: ReadonlySet<Behavior> = new Set([
  'ok',
  'no_content',
  'slow',
  'flapping',
  'too_many',
  'drip_body',
  'huge',
]);

/**
 * Behaviors that read the feed at each delivery. A read makes a waiting retry due, so `error`,
 * which reads but accepts nothing, is retried every second. `gone` is not, because it ends its
 * webhook.
 */
export const READING_BEHAVIORS: ReadonlySet<Behavior> = new Set([
  ...ACCEPTING_BEHAVIORS,
  'error',
  'gone',
]);

/** `flapping` fails the first two of every six deliveries. */
const FLAPS_EVERY = 6;
const FLAPS = 2;
/** The number of deliveries that `too_many` refuses at first. */
const REFUSALS = 2;
/** The `Retry-After` of `too_many`. The retry table alone would retry after 4 to 6 s. */
export const RETRY_AFTER_SECONDS = 8;
const SLOW_MS = 1_000;
const DRIP_EVERY_MS = 1_000;
const HUGE_BYTES = 100 * 1024 * 1024;
const CHUNK = Buffer.alloc(65_536, 0x20);

/** Responds to the n-th delivery (from 0) of a receiver. Returns the status sent, or null. */
export function answerDelivery(
  behavior: Behavior,
  n: number,
  response: ServerResponse,
  canaryUrl: string,
): number | null {
  switch (behavior) {
    case 'ok':
      return end(response, 200);
    case 'no_content':
      return end(response, 204);
    case 'slow':
      setTimeout(() => end(response, 200), SLOW_MS);
      return 200;
    case 'flapping':
      return end(response, n % FLAPS_EVERY < FLAPS ? 500 : 200);
    case 'too_many':
      if (n >= REFUSALS) return end(response, 200);
      return end(response, 429, { 'retry-after': String(RETRY_AFTER_SECONDS) });
    case 'drip_body':
      response.writeHead(200);
      drip(response, 'x');
      return 200;
    case 'huge':
      response.writeHead(200, { 'content-length': String(HUGE_BYTES) });
      flood(response);
      return 200;
    case 'error':
      return end(response, 500);
    case 'hang':
      return null;
    case 'drip_headers':
      response.socket?.write('HTTP/1.1 200 OK\r\nX-Drip: ');
      dripSocket(response);
      return null;
    case 'redirect':
      return end(response, 307, { location: canaryUrl });
    case 'reset':
      response.socket?.resetAndDestroy();
      return null;
    case 'gone':
      return end(response, 410);
    case 'bad_certificate':
      // This code is never reached, because the sender refuses the certificate.
      return end(response, 200);
  }
}

function end(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): number {
  response.writeHead(status, headers).end();
  return status;
}

function drip(response: ServerResponse, byte: string): void {
  const timer = setInterval(() => response.write(byte), DRIP_EVERY_MS);
  response.once('close', () => clearInterval(timer));
}

function dripSocket(response: ServerResponse): void {
  const timer = setInterval(() => response.socket?.write('x'), DRIP_EVERY_MS);
  response.once('close', () => clearInterval(timer));
}

/** Sends until the reader disconnects. */
function flood(response: ServerResponse): void {
  let left = HUGE_BYTES;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= CHUNK.length;
      if (!response.write(CHUNK)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}
