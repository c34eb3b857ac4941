import { createHmac } from 'node:crypto';
import { isObject } from '../expect.ts';
import type { Break, WireRequest } from './break.ts';
import {
  type ResponseHook,
  changeResponses,
  replaceWith,
  changeAt,
  remove,
  changeJson,
  replaceError,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  changeRequests,
  withJson,
} from './edits.ts';

const PUT = 'PUT /webhook';

function requestedUrl(request: WireRequest): unknown {
  const value = parseJsonBody(request);
  return isObject(value) ? value['url'] : undefined;
}

/** Returns a successful response to a registration. */
function registrationResponse(request: WireRequest): ReturnType<typeof jsonResponse> {
  return jsonResponse(200, {
    url: requestedUrl(request),
    secret: `whsec_${Buffer.alloc(32, 'wrong').toString('base64')}`,
    createdAt: new Date().toISOString(),
  });
}

/** Accepts URLs that the service must refuse. */
function acceptUrls(isWrong: (url: URL) => boolean): ResponseHook {
  return replaceError(PUT, 'invalid_webhook_url', ({ request }, answer) => {
    const url = String(requestedUrl(request));
    return URL.canParse(url) && isWrong(new URL(url)) ? registrationResponse(request) : answer;
  });
}

function timestampOf({ headers }: WireRequest): string {
  return String(headers['x-service-timestamp']);
}

function hmac(key: string | Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Replaces the signature of a notice. */
function signed(notice: WireRequest, signature: string): WireRequest {
  return { ...notice, headers: { ...notice.headers, 'x-service-signature': signature } };
}

/** Replaces the body of a notice and signs it correctly. */
function withBody(
  notice: WireRequest,
  memory: ReadonlyMap<string, unknown>,
  place: string,
  change: (value: unknown) => unknown,
): WireRequest {
  const text = JSON.stringify(changeAt(parseJsonBody(notice), place, change));
  const signature = `v1=${hmac(String(memory.get('secret')), `${timestampOf(notice)}.${text}`)}`;
  return signed({ ...notice, body: Buffer.from(text) }, signature);
}

/** Replaces the timestamp of a notice and signs it correctly. */
function withTimestamp(
  notice: WireRequest,
  memory: ReadonlyMap<string, unknown>,
  timestamp: string,
): WireRequest {
  const headers = { ...notice.headers, 'x-service-timestamp': timestamp };
  const signature = hmac(String(memory.get('secret')), `${timestamp}.${notice.body.toString()}`);
  return signed({ ...notice, headers }, `v1=${signature}`);
}

/** Violations of the rules for the webhook and its notices (specification 2.5, 4.10, 4.11, 6). */
export const webhookBreaks: readonly Break[] = [
  {
    name: 'secret-without-prefix',
    clause: '2.5',
    wrong: 'issues a secret that does not start with `whsec_`',
    caughtBy: ['2.5-fields'],
    answer: changeJson(PUT, 'secret', (secret) => String(secret).replace('whsec_', '')),
  },
  {
    name: 'registration-without-created-at',
    clause: '2.5',
    wrong: 'omits `createdAt` from the webhook registration',
    caughtBy: ['2.5-fields'],
    answer: changeJson(PUT, 'createdAt', remove),
  },
  {
    name: 'url-normalized',
    clause: '2.5',
    wrong: 'shows a URL other than the one that was registered',
    caughtBy: ['2.5-fields'],
    answer: changeJson(PUT, 'url', (url) => `${String(url)}/`),
  },
  {
    name: 'same-secret-again',
    clause: '4.10',
    wrong: 'returns the same secret at every call',
    caughtBy: ['4.10-new-secret'],
    answer: changeResponses(PUT, (answer, { memory }) => {
      const value = parseJsonBody(answer);
      const first = memory.get('first') ?? (isObject(value) ? value['secret'] : undefined);
      memory.set('first', first);
      return withJson(answer, 'secret', replaceWith(first));
    }),
  },
  {
    name: 'http-taken',
    clause: '4.10',
    wrong: 'accepts a URL that is not https',
    caughtBy: ['4.10-https'],
    answer: acceptUrls((url) => url.protocol === 'http:'),
  },
  {
    name: 'any-origin-taken',
    clause: '4.10',
    wrong: 'accepts an https URL with any origin',
    caughtBy: ['4.10-no-url', '4.10-origin'],
    answer: acceptUrls((url) => url.protocol === 'https:'),
  },
  {
    name: 'any-port-taken',
    clause: '4.10',
    wrong: 'compares hosts instead of origins, so that another port is accepted',
    caughtBy: ['4.10-origin'],
    answer: acceptUrls((url) => url.protocol === 'https:' && url.port !== ''),
  },
  {
    name: 'origin-by-its-beginning',
    clause: '4.10',
    wrong: 'accepts a host that begins with that of a redirect URI',
    caughtBy: ['4.10-origin'],
    answer: acceptUrls((url) => url.hostname.startsWith('app.example.')),
  },
  {
    name: 'bad-url-is-400',
    clause: '4.10',
    wrong: 'returns 400 `invalid_request` for a URL that must be refused',
    caughtBy: ['4.10-https'],
    answer: replaceError(PUT, 'invalid_webhook_url', () =>
      jsonResponse(400, { error: 'invalid_request' }),
    ),
  },
  {
    name: 'no-url-is-422',
    clause: 'D7',
    wrong: 'returns 422 when `url` is missing',
    caughtBy: ['D7-body-faults'],
    answer: replaceError(PUT, 'invalid_request', () =>
      jsonResponse(422, { error: 'invalid_webhook_url' }),
    ),
  },
  {
    name: 'webhook-stays',
    clause: '4.11',
    wrong: 'reports that the webhook was removed, but keeps it',
    caughtBy: ['4.11-removes'],
    request: changeRequests('DELETE /webhook', () => ({
      status: 204,
      headers: { 'cache-control': 'no-store', 'x-request-id': 'abcdefghijklmnopqr' },
      body: Buffer.alloc(0),
    })),
  },
  {
    name: 'nothing-to-remove-is-404',
    clause: 'D7',
    wrong: 'returns 404 to DELETE /webhook when no webhook is set',
    caughtBy: ['D7-delete'],
    answer: (answer, { request, memory }) => {
      const app = `removed by ${String(request.headers['authorization'])}`;
      if (isRequestTo(request, 'PUT /webhook')) memory.delete(app);
      if (!isRequestTo(request, 'DELETE /webhook') || answer.status >= 400) return answer;
      const wasRemoved = memory.has(app);
      memory.set(app, true);
      return wasRemoved ? jsonResponse(404, { error: 'not_found' }) : answer;
    },
  },
  {
    name: 'notice-by-put',
    clause: '6',
    wrong: 'sends events by PUT',
    caughtBy: ['6-post'],
    notice: (notice) => ({ ...notice, method: 'PUT' }),
  },
  {
    name: 'signature-of-parsed-json',
    clause: '6',
    wrong: 'adds spaces to the JSON after signing it',
    caughtBy: ['6-signature'],
    notice: (notice) => ({
      ...notice,
      body: Buffer.from(JSON.stringify(parseJsonBody(notice), null, 1)),
    }),
  },
  {
    name: 'signature-without-timestamp',
    clause: '6',
    wrong: 'signs only the body',
    caughtBy: ['6-signature'],
    notice: (notice, memory) =>
      signed(notice, `v1=${hmac(String(memory.get('secret')), notice.body.toString())}`),
  },
  {
    name: 'signature-by-decoded-secret',
    clause: '6',
    wrong: 'signs with the decoded bytes of the secret instead of the secret string',
    caughtBy: ['6-signature'],
    notice: (notice, memory) => {
      const key = Buffer.from(String(memory.get('secret')).replace('whsec_', ''), 'base64');
      return signed(notice, `v1=${hmac(key, `${timestampOf(notice)}.${notice.body.toString()}`)}`);
    },
  },
  {
    name: 'signature-without-version',
    clause: '6',
    wrong: 'omits `v1=` from the signature',
    caughtBy: ['6-signature'],
    notice: (notice) =>
      signed(notice, String(notice.headers['x-service-signature']).replace('v1=', '')),
  },
  {
    name: 'signature-in-base64',
    clause: '6',
    wrong: 'encodes the signature in base64',
    caughtBy: ['6-signature'],
    notice: (notice) => {
      const hex = String(notice.headers['x-service-signature']).replace('v1=', '');
      return signed(notice, `v1=${Buffer.from(hex, 'hex').toString('base64')}`);
    },
  },
  {
    name: 'timestamp-in-milliseconds',
    clause: 'D7',
    wrong: 'sends and signs the timestamp in milliseconds',
    caughtBy: ['D7-timestamp-form'],
    notice: (notice, memory) => withTimestamp(notice, memory, `${timestampOf(notice)}000`),
  },
  {
    name: 'timestamp-of-long-ago',
    clause: '6',
    wrong: 'sends a timestamp that is 300 seconds old',
    caughtBy: ['6-timestamp'],
    notice: (notice, memory) =>
      withTimestamp(notice, memory, String(Number(timestampOf(notice)) - 300)),
  },
  {
    name: 'notice-of-another-type',
    clause: '6',
    wrong: 'sends the type `inventory_changed`',
    caughtBy: ['6-body'],
    notice: (notice, memory) => withBody(notice, memory, 'type', replaceWith('inventory_changed')),
  },
  {
    name: 'notice-of-another-shop',
    clause: '6',
    wrong: 'sends the id of the connection as `tenantId`',
    caughtBy: ['6-whose'],
    notice: (notice, memory) => {
      const value = parseJsonBody(notice);
      const connectionId = isObject(value) ? value['connectionId'] : undefined;
      return withBody(notice, memory, 'tenantId', replaceWith(connectionId));
    },
  },
  {
    name: 'notice-without-instant',
    clause: '6',
    wrong: 'omits `occurredAt`',
    caughtBy: ['6-body'],
    notice: (notice, memory) => withBody(notice, memory, 'occurredAt', remove),
  },
  {
    name: 'notice-with-stock',
    clause: '6',
    wrong: 'sends stock data with the event',
    caughtBy: ['6-no-stock-data'],
    notice: (notice, memory) =>
      withBody(notice, memory, 'changes', replaceWith([{ id: 'a', status: 'sold' }])),
  },
];
