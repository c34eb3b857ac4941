import {
  Agent,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { codeOfStatus } from '../http/errors.ts';
import { createHelpLinks } from '../http/help-link.ts';
import { renderRawResponse, statusOfClientError } from '../http/raw-response.ts';
import { sendFaultyResponse, delayResponse } from './faulty-response.ts';
import { isRefreshForm, forwardRequest, readBodyStart } from './forwarded-request.ts';
import { sendSubstitute, CONSTANT_HEADERS, newRequestId } from './substitute-response.ts';
import type { RequestLog } from './request-log.ts';
import type { WireFaults } from './wire-faults.ts';

/** The maximum number of concurrent requests. A test with more probably has an endless loop. */
const REQUESTS_MAX = 500;
/** Reserved connections, so that tests can still use the admin API if an app uses all others. */
const SPARE_CONNECTIONS = 20;
/** Above this number, connections are closed after each response, so that every app can connect. */
const KEEP_ALIVE_CONNECTIONS_MAX = 250;
/** The keep-alive timeout of the service. */
const KEEP_ALIVE_MS = 72_000;
/** The `Allow` header of the service's response to CONNECT. */
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, DELETE';
const STARTING = { status: 503, retryAfterSeconds: 1, reason: 'the emulator is starting' };
const BUSY = { status: 503, retryAfterSeconds: 1, reason: 'too many concurrent requests' };
export const ADMIN_PATH = '/emulator';

export interface FaultProxyOptions {
  readonly port: number;
  readonly faults: WireFaults;
  readonly log: RequestLog;
  /** Returns the URL of the service, or null before it has started. */
  readonly target: () => string | null;
  readonly admin: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** The server that apps call: a proxy that forwards requests to the service and injects faults. */
export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #options: FaultProxyOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: REQUESTS_MAX });
  #connections = 0;
  /** The responses in the order in which their requests arrived. */
  readonly #activeResponses = new Set<ServerResponse>();

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    const settings = { keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false };
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response).catch(() => request.socket.destroy());
    };
    this.#server = createServer(settings, handle);
    this.#server.maxConnections = REQUESTS_MAX + SPARE_CONNECTIONS;
    this.#server.on('connection', (socket) => {
      this.#connections++;
      socket.once('close', () => this.#connections--);
    });
    this.#server.on('checkExpectation', handle);
    this.#server.on('connect', (_request, socket) => this.#refuse(socket, 405));
    this.#server.on('clientError', (error: ClientError, socket) => {
      if (!socket.writable || this.#hasBegunResponse(socket)) socket.destroy();
      else this.#refuse(socket, statusOfClientError(error.code));
    });
  }

  /** Opens a proxy that listens on 127.0.0.1 only. */
  static async open(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(options.port, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  get #publicUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** True if a response has begun on this connection: a second one would corrupt it. */
  #hasBegunResponse(socket: Duplex): boolean {
    return (
      [...this.#activeResponses].find(({ req }) => req.socket === socket)?.headersSent === true
    );
  }

  /** Responds as the service would to a CONNECT request or to bytes that are not valid HTTP. */
  #refuse(socket: Duplex, status: number): void {
    const more = {
      'x-request-id': newRequestId(),
      link: createHelpLinks(this.#publicUrl)(codeOfStatus(status)),
      ...(status === 405 ? { allow: ALLOWED_METHODS } : {}),
    };
    socket.end(renderRawResponse(status, CONSTANT_HEADERS, more));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = request.url ?? '/';
    const path = address.split('?')[0] ?? '/';
    if (path === ADMIN_PATH || path.startsWith(`${ADMIN_PATH}/`)) {
      await this.#options.admin(request, response);
      return;
    }
    response.on('error', ignoreLateWrite);
    if (this.#connections > KEEP_ALIVE_CONNECTIONS_MAX) response.shouldKeepAlive = false;
    if (this.#activeResponses.size >= REQUESTS_MAX) {
      sendSubstitute(response, { path, publicUrl: this.#publicUrl }, BUSY);
      return;
    }
    this.#activeResponses.add(response);
    response.once('close', () => this.#activeResponses.delete(response));
    const { faults, log, target } = this.#options;
    const end = log.begin(request.method ?? '', address);
    const isToken = request.method === 'POST' && path === '/auth/oauth2/token';
    const bodyStart = isToken && faults.needsRefreshDetection ? await readBodyStart(request) : null;
    const isRefresh = bodyStart !== null && isRefreshForm(bodyStart);
    const { cleared } = faults;
    const effects = faults.applyTo({ path, isRefresh });
    const fault = effects.kinds.length === 0 ? null : effects.kinds.join(', ');
    const service = target();
    if (effects.substitute !== null || service === null) {
      const substitute = effects.substitute ?? STARTING;
      request.resume();
      await delayResponse(response, effects.delayMs, cleared);
      sendSubstitute(response, { path, publicUrl: this.#publicUrl }, substitute);
      end({ status: substitute.status, fault });
      return;
    }
    const serviceResponse = await forwardRequest(
      { request, response, bodyStart },
      service,
      this.#agent,
    );
    end({ status: serviceResponse?.statusCode ?? null, fault });
    if (serviceResponse === null) request.socket.destroy();
    else await sendFaultyResponse(serviceResponse, response, effects, cleared);
  }
}

/** A write fails if the app has disconnected. Without a listener, this would end the process. */
function ignoreLateWrite(): void {}

type ClientError = Error & { readonly code?: string };
