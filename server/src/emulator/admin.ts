import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson } from '../http/body.ts';
import { accessCalls } from './access-calls.ts';
import type { AdminCall, AdminContext } from './admin-call.ts';
import { readBytes } from './body-bytes.ts';
import { ADMIN_PATH } from './front.ts';
import { sendBody, sendJson } from './instead.ts';
import { reportOf } from './report.ts';
import { stockCalls } from './stock-calls.ts';
import type { RunningEmulation } from './emulation.ts';
import { timeCalls } from './time-calls.ts';
import { noticeCalls } from './notice-calls.ts';
import { wireCalls } from './wire-calls.ts';

/** An authorization URL is the longest that anybody sends. */
const BODY_BYTES_MAX = 16_384;

const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Every call there is, in the order of the help. */
export const adminCalls: readonly AdminCall[] = [
  ...accessCalls,
  ...stockCalls,
  ...wireCalls,
  ...noticeCalls,
  ...timeCalls,
];

/** Why a request is not answered. */
interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly detail: string;
}

type Answered = Refusal | { readonly json: object } | { readonly text: string };

/** The admin address of an emulator: what tests drive it by. */
export class Admin {
  readonly #context: AdminContext;

  constructor(emulation: RunningEmulation) {
    this.#context = { emulation };
  }

  /** Answers one request. Never rejects. */
  readonly answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const result = await this.#answer(request);
      if ('status' in result) refuse(response, result);
      else if ('text' in result) sendBody(response, 200, TEXT_TYPE, result.text);
      else sendJson(response, 200, result.json);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      refuse(response, { status: 500, error: 'server_error', detail });
    }
  };

  async #answer(request: IncomingMessage): Promise<Answered> {
    const stranger = findStranger(request);
    if (stranger !== null) return { status: 403, error: 'forbidden', detail: stranger };
    const { emulation } = this.#context;
    if (emulation.target === null) {
      return { status: 503, error: 'temporarily_unavailable', detail: 'The emulator starts.' };
    }
    const [address = '', query = ''] = (request.url ?? '').split('?');
    const path = address.slice(ADMIN_PATH.length + 1);
    if (path === '') return await onlyGet(request, async () => await reportOf(emulation));
    if (path === 'requests') {
      const since = readSince(new URLSearchParams(query));
      if (typeof since !== 'number') return since;
      const { log } = emulation;
      const answer = { total: log.counts.total, requests: log.list(since) };
      return await onlyGet(request, async () => answer);
    }
    const call = adminCalls.find((each) => each.path === path);
    if (call === undefined) {
      const detail = `There is no ${ADMIN_PATH}/${path}: cardport emulate --help lists what there is.`;
      return { status: 404, error: 'not_found', detail };
    }
    if (request.method !== 'POST') {
      const detail = `${ADMIN_PATH}/${path} takes POST.`;
      return { status: 405, error: 'method_not_allowed', detail };
    }
    const body = await readBody(request);
    if (body.kind === 'refused') return body.refusal;
    const result = await call.run(this.#context, body.value);
    switch (result.kind) {
      case 'refused':
        return { status: 400, error: 'invalid_request', detail: result.detail };
      case 'unfit':
        return { status: 422, error: 'invalid_request', detail: result.detail };
      case 'done':
      case 'text':
        return result;
    }
  }
}

/** The number of the last request that is known already; 0: none of them is. */
function readSince(query: URLSearchParams): number | Refusal {
  const [given = '0', ...others] = query.getAll('since');
  const areKnown = [...query.keys()].every((name) => name === 'since');
  if (areKnown && others.length === 0 && /^\d{1,15}$/.test(given)) return Number(given);
  const detail = `${ADMIN_PATH}/requests takes ?since=, the number of a request, and nothing else.`;
  return { status: 400, error: 'invalid_request', detail };
}

async function onlyGet(
  { method }: IncomingMessage,
  run: () => Promise<object>,
): Promise<Refusal | { readonly json: object }> {
  if (method === 'GET' || method === 'HEAD') return { json: await run() };
  return { status: 405, error: 'method_not_allowed', detail: 'This address takes GET.' };
}

/**
 * Why a request may come from a page in a browser, or null. Such a page could drive an emulator on the same machine: by a
 * name of its own that leads to 127.0.0.1, or by a form across sites. No tool and no test sends what browsers send.
 */
function findStranger(request: IncomingMessage): string | null {
  const port = request.socket.localPort;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.includes(host)) return `Host must be ${hosts.join(' or ')}.`;
  const site = request.headers['sec-fetch-site'];
  const isElsewhere = origin !== undefined && !hosts.includes(origin.replace(/^http:\/\//, ''));
  const isAcross = typeof site === 'string' && !['same-origin', 'none'].includes(site);
  return isElsewhere || isAcross ? 'A page of another origin may not drive the emulator.' : null;
}

type Body =
  | { readonly kind: 'body'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Nothing at all is an empty object: `curl -X POST` is enough for a call that needs no member. */
async function readBody(request: IncomingMessage): Promise<Body> {
  const bytes = await readBytes(request, BODY_BYTES_MAX);
  if (bytes === null) {
    const detail = `The body has more than ${BODY_BYTES_MAX} bytes.`;
    return { kind: 'refused', refusal: { status: 413, error: 'payload_too_large', detail } };
  }
  if (bytes.length === 0) return { kind: 'body', value: {} };
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    const detail = 'A body needs Content-Type: application/json.';
    return { kind: 'refused', refusal: { status: 415, error: 'unsupported_media_type', detail } };
  }
  try {
    return { kind: 'body', value: readJson(bytes) };
  } catch {
    const detail = 'The body is no JSON.';
    return { kind: 'refused', refusal: { status: 400, error: 'invalid_request', detail } };
  }
}

function refuse(response: ServerResponse, { status, error, detail }: Refusal): void {
  sendJson(response, status, { error, detail });
}
