import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson } from '../http/body.ts';
import { accessCalls } from './access-calls.ts';
import type { AdminCall } from './admin-call.ts';
import { faultCalls } from './fault-calls.ts';
import { ADMIN_PATH } from './fault-proxy.ts';
import { sendBody, sendJson } from './substitute-response.ts';
import { createReport } from './report.ts';
import type { Emulation } from './emulation.ts';

/** The largest body contains an authorization URL. */
const BODY_BYTES_MAX = 16_384;

const TEXT_TYPE = 'text/plain; charset=utf-8';

/** The calls, in the order in which the help text lists them. */
export const adminCalls: readonly AdminCall[] = [...accessCalls, ...faultCalls];

type AdminResponse = { readonly status: number; readonly json: object } | { readonly text: string };

/** Creates the handler of the admin API, which never rejects. */
export function createAdminHandler(
  emulation: Emulation,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const answer = await handleRequest(emulation, request).catch((error: unknown) =>
      errorResponse(500, 'server_error', error instanceof Error ? error.message : String(error)),
    );
    if ('text' in answer) sendBody(response, 200, TEXT_TYPE, answer.text);
    else sendJson(response, answer.status, answer.json);
  };
}

function errorResponse(status: number, error: string, detail: string): AdminResponse {
  return { status, json: { error, detail } };
}

async function handleRequest(
  emulation: Emulation,
  request: IncomingMessage,
): Promise<AdminResponse> {
  const problem = findCrossOriginProblem(request);
  if (problem !== null) return errorResponse(403, 'forbidden', problem);
  if (emulation.target === null) {
    return errorResponse(
      503,
      'temporarily_unavailable',
      'The emulator is starting. Try again in a moment.',
    );
  }
  const [address = '', query = ''] = (request.url ?? '').split('?');
  const path = address.slice(ADMIN_PATH.length + 1);
  if (path === '') return await onlyGet(request, async () => await createReport(emulation));
  if (path === 'requests') {
    const since = readSince(new URLSearchParams(query));
    if (typeof since !== 'number') return since;
    const { log } = emulation;
    const response = { total: log.counts.total, requests: log.list(since) };
    return await onlyGet(request, async () => response);
  }
  const call = adminCalls.find((each) => each.path === path);
  if (call === undefined) {
    const detail = `${ADMIN_PATH}/${path} does not exist. Run cardport emulate --help for all calls.`;
    return errorResponse(404, 'not_found', detail);
  }
  if (request.method !== 'POST') {
    return errorResponse(405, 'method_not_allowed', `${ADMIN_PATH}/${path} supports only POST.`);
  }
  const body = await readBody(request);
  if (!('value' in body)) return body;
  const result = await call.run(emulation, body.value);
  switch (result.kind) {
    case 'refused':
      return errorResponse(400, 'invalid_request', result.detail);
    case 'unprocessable':
      return errorResponse(422, 'invalid_request', result.detail);
    case 'done':
      return { status: 200, json: result.json };
    case 'text':
      return result;
  }
}

/** Returns the number from `since`. The caller wants later requests; 0 means all requests. */
function readSince(query: URLSearchParams): number | AdminResponse {
  const [given = '0', ...others] = query.getAll('since');
  const areKnown = [...query.keys()].every((name) => name === 'since');
  if (areKnown && others.length === 0 && /^\d{1,15}$/.test(given)) return Number(given);
  const detail = `${ADMIN_PATH}/requests has one query parameter: since, the number of a request.`;
  return errorResponse(400, 'invalid_request', detail);
}

async function onlyGet(
  { method }: IncomingMessage,
  run: () => Promise<object>,
): Promise<AdminResponse> {
  if (method === 'GET' || method === 'HEAD') return { status: 200, json: await run() };
  return errorResponse(405, 'method_not_allowed', 'This URL supports only GET.');
}

/**
 * Returns the reason to assume that a web page sent the request, or null. A web page could control
 * an emulator on the same machine through a host name that resolves to 127.0.0.1, or with a
 * cross-site form. Tools and tests do not send the headers that are checked here.
 */
function findCrossOriginProblem(request: IncomingMessage): string | null {
  const port = request.socket.localPort;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.includes(host)) return `Host must be ${hosts.join(' or ')}.`;
  const site = request.headers['sec-fetch-site'];
  const isElsewhere = origin !== undefined && !hosts.includes(origin.replace(/^http:\/\//, ''));
  const isAcross = typeof site === 'string' && !['same-origin', 'none'].includes(site);
  return isElsewhere || isAcross ? 'Pages of another origin cannot control the emulator.' : null;
}

/** An empty body counts as `{}`, so that `curl -X POST` works without required members. */
async function readBody(
  request: IncomingMessage,
): Promise<AdminResponse | { readonly value: unknown }> {
  const bytes = await readBytes(request, BODY_BYTES_MAX);
  if (bytes === null) {
    return errorResponse(
      413,
      'payload_too_large',
      `The body has more than ${BODY_BYTES_MAX} bytes.`,
    );
  }
  if (bytes.length === 0) return { value: {} };
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    const detail = 'A body must have Content-Type: application/json.';
    return errorResponse(415, 'unsupported_media_type', detail);
  }
  const json = readJson(bytes);
  return json.kind === 'value'
    ? { value: json.value }
    : errorResponse(400, 'invalid_request', `The body ${json.reason}.`);
}

async function readBytes(message: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const received: Buffer[] = [];
  let bytes = 0;
  const chunks: AsyncIterable<Buffer> = message;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    received.push(chunk);
  }
  return Buffer.concat(received);
}
