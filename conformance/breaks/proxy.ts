import {
  Agent,
  createServer,
  type IncomingMessage,
  request as sendHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { isObject } from '../expect.ts';
import type { Break, Call, WireResponse, WireHeaders, WireRequest } from './break.ts';
import { isRequestTo, parseJsonBody } from './edits.ts';

/** The wrong server: a proxy in front of the service that violates at most one rule at a time. */
export interface BreakingProxy extends AsyncDisposable {
  /** The URL of the proxy, which is the public URL of the service. */
  readonly url: string;
  /** Sets the service behind the proxy, such as `http://host:port`. */
  forwardTo(serviceUrl: string): void;
  /**
   * Forwards notices too. The service sends notices to the origin `registered`, where the proxy
   * listens. The proxy forwards them to the receiver at `receiver`, which the service does not
   * know.
   */
  forwardNotices(origins: {
    readonly registered: string;
    readonly receiver: string;
  }): Promise<void>;
  /** Makes the server violate this rule; with null, it violates none. */
  breakRule(rule: Break | null): void;
}

/** The maximum size of a body, enough for a photo upload. */
const BODY_BYTES_MAX = 30_000_000;
/** Headers that are not forwarded: hop-by-hop headers, and the length, which is computed again. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/** Starts the proxy on a free loopback port. */
export async function startBreakingProxy(): Promise<BreakingProxy> {
  await using stack = new AsyncDisposableStack();
  const agent = new Agent({ keepAlive: true });
  stack.defer(() => agent.destroy());
  let serviceUrl = '';
  let rule: Break | null = null;
  let memory = new Map<string, unknown>();
  let rename = (text: string, _way: 'in' | 'out'): string => text;
  const forward = async (request: WireRequest): Promise<WireResponse> =>
    await sendUpstream(agent, serviceUrl, request);
  const exchange = async (received: WireRequest): Promise<WireResponse> => {
    const current = rule;
    const call: Call = { request: received, memory, forward };
    const sent = current?.request?.(call) ?? received;
    const upstreamResponse = 'status' in sent ? sent : await forward(renamedRequest(sent, rename));
    const response = renamedResponse(upstreamResponse, received, rename);
    rememberSecret(response, received, memory);
    return (await current?.answer?.(response, call)) ?? response;
  };
  const url = await listen(stack, 0, exchange);
  const owned = stack.move();
  return {
    url,
    forwardTo: (targetUrl) => {
      serviceUrl = targetUrl;
    },
    forwardNotices: async ({ registered, receiver }) => {
      rename = (text, way) =>
        way === 'in'
          ? text.replaceAll(receiver, registered)
          : text.replaceAll(registered, receiver);
      await listen(owned, Number(new URL(registered).port), async (notice) => {
        const changed = rule?.notice?.(notice, memory) ?? notice;
        return await sendUpstream(agent, receiver, changed);
      });
    },
    breakRule: (next) => {
      rule = next;
      memory = new Map();
    },
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

type Rename = (text: string, way: 'in' | 'out') => string;

/** Replaces the receiver's URL with the proxy's, so that the service registers the proxy. */
function renamedRequest(request: WireRequest, rename: Rename): WireRequest {
  if (!isRequestTo(request, 'PUT /webhook')) return request;
  return { ...request, body: Buffer.from(rename(request.body.toString(), 'in')) };
}

function renamedResponse(
  response: WireResponse,
  received: WireRequest,
  rename: Rename,
): WireResponse {
  const showsUrl =
    isRequestTo(received, 'PUT /webhook') || received.target.startsWith('/partner/v1/connection');
  return showsUrl
    ? { ...response, body: Buffer.from(rename(response.body.toString(), 'out')) }
    : response;
}

/** Remembers the webhook's secret for the breaks that sign a notice again. */
function rememberSecret(
  response: WireResponse,
  received: WireRequest,
  memory: Map<string, unknown>,
): void {
  if (!isRequestTo(received, 'PUT /webhook')) return;
  const value = parseJsonBody(response);
  if (isObject(value) && 'secret' in value) memory.set('secret', value['secret']);
}

async function listen(
  stack: AsyncDisposableStack,
  port: number,
  exchange: (request: WireRequest) => Promise<WireResponse>,
): Promise<string> {
  const server: Server = createServer((message, response) => {
    respond(message, response, exchange).catch(() => response.destroy());
  });
  stack.defer(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
}

async function respond(
  message: IncomingMessage,
  response: ServerResponse,
  exchange: (request: WireRequest) => Promise<WireResponse>,
): Promise<void> {
  const { status, headers, body } = await exchange(await readRequest(message));
  const hasBody = message.method !== 'HEAD' && status !== 204 && status !== 304;
  const length = hasBody ? { 'content-length': String(body.length) } : {};
  response.writeHead(status, { ...listsOf(headers), ...length });
  response.end(hasBody ? body : undefined);
}

function listsOf(headers: WireHeaders): Record<string, string | string[]> {
  const lists = Object.entries(headers).map(([name, value]): [string, string | string[]] => [
    name,
    typeof value === 'string' ? value : [...value],
  ]);
  return Object.fromEntries(lists);
}

async function readRequest(message: IncomingMessage): Promise<WireRequest> {
  return {
    method: message.method ?? '',
    target: message.url ?? '',
    headers: headersOf(message),
    body: await readBody(message),
  };
}

async function sendUpstream(
  agent: Agent,
  origin: string,
  request: WireRequest,
): Promise<WireResponse> {
  const { method, target, body } = request;
  const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
  const headers = { ...listsOf(request.headers), ...length };
  const { hostname, port } = new URL(origin);
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = sendHttp({ agent, hostname, port, path: target, method, headers }, resolve);
    sent.once('error', reject);
    sent.end(body);
  });
  // The length in a response to HEAD cannot be computed again.
  const contentLength = method === 'HEAD' ? message.headers['content-length'] : undefined;
  const lengthHeader = contentLength === undefined ? {} : { 'content-length': contentLength };
  return {
    status: message.statusCode ?? 0,
    headers: { ...headersOf(message), ...lengthHeader },
    body: await readBody(message),
  };
}

function headersOf({ rawHeaders }: IncomingMessage): WireHeaders {
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    if (OWN_HEADERS.has(name)) continue;
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) throw new Error('the body is not a stream of bytes');
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw new Error(`more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
