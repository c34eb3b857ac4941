import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { FORM_TOKEN_FIELD } from '../html/form-guard.ts';
import { parseForm } from '../html/form.ts';
import { CONSOLE_FIELDS_MAX } from './form-draft.ts';
import { pageHeaders } from '../html/page.ts';
import { redirect } from '../sign-in/browser.ts';
import type { ConsoleResponse } from './response.ts';
import type { FileSender } from './file-sender.ts';
import { flashCookie } from './flash.ts';
import type { ConsoleGate, Authorized } from './gate.ts';
import { CONSOLE_CSP, renderLayout } from './layout.ts';
import { ConsoleRefusal } from './refusal.ts';
import type { AccountRoutes, RequiredPermission, SectionRoutes } from './section.ts';
import type { RequestContext, AccountContext } from './request-context.ts';

export interface RouteDeps {
  readonly gate: ConsoleGate;
  readonly isSecure: boolean;
  readonly files: FileSender;
}

/** A GET page or POST form of the console. The tests request every listed route. */
export interface ConsoleRoute {
  readonly method: 'GET' | 'POST';
  /** The path with its parameters, such as `/console/shops/:slug/boosts/:id`. */
  readonly path: string;
  /** Null allows every member, or every signed-in person on account pages. */
  readonly needed: RequiredPermission;
  readonly isShopRoute: boolean;
  /** True if the route needs no sign-in, such as the page of an invitation. */
  readonly isPublic: boolean;
}

/** The prefix of the Fastify scope in which the console is mounted. */
export const CONSOLE_PATH = '/console';
const SHOP_PATH = '/shops/:slug';
/**
 * Returns an object that mounts the routes of one section of a shop's pages, and appends each route
 * to `list`.
 */
export function sectionRoutes(
  scope: FastifyInstance,
  routeDeps: RouteDeps,
  list: ConsoleRoute[],
): SectionRoutes {
  const { gate } = routeDeps;
  const record = (method: Method, sub: string, needed: RequiredPermission): string => {
    const path = `${SHOP_PATH}${sub}`;
    list.push({
      method,
      path: `${CONSOLE_PATH}${path}`,
      needed,
      isShopRoute: true,
      isPublic: false,
    });
    return path;
  };
  const mount =
    (method: Method): SectionRoutes['page'] =>
    (sub, needed, handle) => {
      const authorize: Authorize<RequestContext> = async (request) =>
        await gate.authorizeMember(request, needed);
      scope.route(routeOf(routeDeps, method, record(method, sub, needed), { authorize, handle }));
    };
  return {
    page: mount('GET'),
    action: mount('POST'),
    scope,
    gate: {
      registerPath: record,
      authorize: async (request, needed) => (await gate.authorizeMember(request, needed)).context,
      reauthorize: async (tx, context, needed) => await gate.reauthorize(tx, context, needed),
      isValidFormToken: (context, token) => gate.isValidFormToken(context, token),
      send: async (reply, context, response) =>
        await send(routeDeps, reply, { context, cookies: [] }, response),
    },
  };
}

export function accountRoutes(
  scope: FastifyInstance,
  routeDeps: RouteDeps,
  list: ConsoleRoute[],
): AccountRoutes {
  const record = (method: Method, path: string, isPublic: boolean): string => {
    list.push({
      method,
      path: `${CONSOLE_PATH}${path}`,
      needed: null,
      isShopRoute: false,
      isPublic,
    });
    return path;
  };
  const authorize: Authorize<AccountContext> = async (request) =>
    await routeDeps.gate.authorizeAccount(request);
  const mount =
    (method: Method): AccountRoutes['page'] =>
    (path, handle) => {
      scope.route(routeOf(routeDeps, method, record(method, path, false), { authorize, handle }));
    };
  return {
    page: mount('GET'),
    action: mount('POST'),
    path: (method, path) => record(method, path, true),
    scope,
  };
}

type Method = ConsoleRoute['method'];
type Authorize<V extends AccountContext> = (request: FastifyRequest) => Promise<Authorized<V>>;

/**
 * Builds the route of a page or form that requires authorization. HEAD is not supported, because it
 * would use up a secret that is shown once, and would read a complete export only to discard it.
 */
function routeOf<V extends AccountContext>(
  routeDeps: RouteDeps,
  method: Method,
  url: string,
  {
    authorize,
    handle,
  }: { authorize: Authorize<V>; handle: (context: V) => Promise<ConsoleResponse> },
): RouteOptions {
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { context: entered, cookies } = await authorize(request);
    const context = method === 'POST' ? withForm(routeDeps.gate, entered) : entered;
    return await send(routeDeps, reply, { context, cookies }, await handle(context));
  };
  return { method, url, exposeHeadRoute: false, handler };
}

/** Checks the form's token before the fields are used. */
function withForm<V extends AccountContext>(gate: ConsoleGate, context: V): V {
  const parsed = parseForm(bytesOf(context.request.body), CONSOLE_FIELDS_MAX);
  if (parsed.kind === 'invalid') throw new ConsoleRefusal({ kind: 'broken_form' });
  if (!gate.isValidFormToken(context, parsed.fields.get(FORM_TOKEN_FIELD))) {
    throw new ConsoleRefusal({ kind: 'stale_form' });
  }
  const form = new Map(parsed.fields);
  form.delete(FORM_TOKEN_FIELD);
  return { ...context, form };
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

async function send<V extends AccountContext>(
  { isSecure, files }: RouteDeps,
  reply: FastifyReply,
  { context, cookies }: Authorized<V>,
  response: ConsoleResponse,
): Promise<FastifyReply> {
  switch (response.kind) {
    case 'not_found':
      throw new ConsoleRefusal({ kind: 'not_found' });
    case 'go': {
      const { flash, path, cookies: more = [] } = response;
      const flashCookies = flash === null ? [] : [flashCookie(flash, isSecure)];
      return redirect(reply, path, [...cookies, ...flashCookies, ...more]);
    }
    case 'fragment':
      reply.headers(pageHeaders(context.language, CONSOLE_CSP));
      return reply.send(String(await response.markup));
    case 'file': {
      const { name, text, type } = response;
      const headers = {
        ...pageHeaders(context.language, CONSOLE_CSP),
        'content-type': type,
        'content-disposition': `attachment; filename="${name}"`,
      };
      if (typeof text === 'string') return reply.headers(headers).send(text);
      const path = [context.params['slug'] ?? '', context.account.id];
      if (await files.send(reply, path, headers, text)) return reply;
      throw new ConsoleRefusal({ kind: 'too_many_exports', retryAfterSeconds: 10 });
    }
    case 'page': {
      const shown = context.flash === null ? [] : [flashCookie(null, isSecure)];
      reply.header('set-cookie', [...cookies, ...shown, ...(response.page.cookies ?? [])]);
      reply.headers(pageHeaders(context.language, CONSOLE_CSP));
      if (response.page.refreshSeconds !== undefined) {
        reply.header('refresh', String(response.page.refreshSeconds));
      }
      return reply
        .code(response.page.status ?? 200)
        .send(await renderLayout(context, response.page));
    }
  }
}
