import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Readable } from 'node:stream';
import { FORM_TOKEN_FIELD } from '../pages/form-guard.ts';
import { parseForm } from '../pages/form.ts';
import { pageHeaders } from '../pages/page.ts';
import { sendOn } from '../signin/browser.ts';
import type { ConsoleAnswer } from './answer.ts';
import { flashCookie } from './flash.ts';
import type { ConsoleGate, Entered } from './gate.ts';
import { CONSOLE_POLICY, renderLayout } from './layout.ts';
import { ConsoleRefusal } from './refusal.ts';
import type { AccountRoutes, Needed, SectionRoutes } from './section.ts';
import type { Visit, Visitor } from './visit.ts';

/** What every response of the console needs. */
export interface Answering {
  readonly gate: ConsoleGate;
  readonly isSecure: boolean;
}

/** One GET page or POST form of the console, for tests that must reach all of them. */
export interface ConsoleRoute {
  readonly method: 'GET' | 'POST';
  /** With parameters: `/console/shops/:slug/boosts/:id`. */
  readonly path: string;
  /** Null: every member, or every signed-in person. */
  readonly needed: Needed;
  readonly isOfShop: boolean;
  /** True for the pages of an invitation, which need no sign-in. */
  readonly isOpen: boolean;
}

/** The prefix of the scope that the console is mounted in. */
export const CONSOLE = '/console';
const SHOP_PATH = '/shops/:slug';
/** The routes of one section of a shop's pages; each is appended to `list`. */
export function sectionRoutes(
  scope: FastifyInstance,
  answering: Answering,
  list: ConsoleRoute[],
): SectionRoutes {
  const { gate } = answering;
  const note = (method: Method, sub: string, needed: Needed): string => {
    const path = `${SHOP_PATH}${sub}`;
    list.push({ method, path: `${CONSOLE}${path}`, needed, isOfShop: true, isOpen: false });
    return path;
  };
  const mount =
    (method: Method): SectionRoutes['page'] =>
    (sub, needed, handle) => {
      const enter: Enter<Visit> = async (request) => await gate.enterShop(request, needed);
      scope.route(routeOf(answering, method, note(method, sub, needed), { enter, handle }));
    };
  return {
    page: mount('GET'),
    action: mount('POST'),
    scope,
    gate: {
      path: note,
      enter: async (request, needed) => (await gate.enterShop(request, needed)).visitor,
      lookAgain: async (tx, visit, needed) => await gate.lookAgain(tx, visit, needed),
      isOurForm: (visitor, token) => gate.isOurForm(visitor, token),
      send: async (reply, visitor, answer) =>
        await send(answering, reply, { visitor, cookies: [] }, answer),
    },
  };
}

/** The routes of pages that belong to a person, not to a shop. */
export function accountRoutes(
  scope: FastifyInstance,
  answering: Answering,
  list: ConsoleRoute[],
): AccountRoutes {
  const note = (method: Method, path: string, isOpen: boolean): string => {
    list.push({ method, path: `${CONSOLE}${path}`, needed: null, isOfShop: false, isOpen });
    return path;
  };
  const enter: Enter<Visitor> = async (request) => await answering.gate.enterAccount(request);
  const mount =
    (method: Method): AccountRoutes['page'] =>
    (path, handle) => {
      scope.route(routeOf(answering, method, note(method, path, false), { enter, handle }));
    };
  return {
    page: mount('GET'),
    action: mount('POST'),
    path: (method, path) => note(method, path, true),
    scope,
  };
}

type Method = ConsoleRoute['method'];
type Enter<V extends Visitor> = (request: FastifyRequest) => Promise<Entered<V>>;

/**
 * A page or form behind the gate. No HEAD: it would use up a secret that is shown once, and read a
 * whole export only to discard it.
 */
function routeOf<V extends Visitor>(
  answering: Answering,
  method: Method,
  url: string,
  { enter, handle }: { enter: Enter<V>; handle: (visitor: V) => Promise<ConsoleAnswer> },
): RouteOptions {
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { visitor: entered, cookies } = await enter(request);
    const visitor = method === 'POST' ? withForm(answering.gate, entered) : entered;
    return await send(answering, reply, { visitor, cookies }, await handle(visitor));
  };
  return { method, url, exposeHeadRoute: false, handler };
}

/** The visitor with the posted form. The form's token is checked before its fields are used. */
function withForm<V extends Visitor>(gate: ConsoleGate, visitor: V): V {
  const parsed = parseForm(bytesOf(visitor.request.body));
  if (parsed.kind === 'invalid') throw new ConsoleRefusal({ kind: 'broken_form' });
  if (!gate.isOurForm(visitor, parsed.fields.get(FORM_TOKEN_FIELD))) {
    throw new ConsoleRefusal({ kind: 'stale_form' });
  }
  const form = new Map(parsed.fields);
  form.delete(FORM_TOKEN_FIELD);
  return { ...visitor, form };
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

async function send<V extends Visitor>(
  { isSecure }: Answering,
  reply: FastifyReply,
  { visitor, cookies }: Entered<V>,
  answer: ConsoleAnswer,
): Promise<FastifyReply> {
  switch (answer.kind) {
    case 'not_found':
      throw new ConsoleRefusal({ kind: 'not_found' });
    case 'go': {
      const { flash, path, cookies: more = [] } = answer;
      const told = flash === null ? [] : [flashCookie(flash, isSecure)];
      return sendOn(reply, path, [...cookies, ...told, ...more]);
    }
    case 'fragment':
      reply.headers(pageHeaders(visitor.language, CONSOLE_POLICY));
      return reply.send(String(await answer.markup));
    case 'file':
      reply.headers({
        ...pageHeaders(visitor.language, CONSOLE_POLICY),
        'content-type': answer.type,
        'content-disposition': `attachment; filename="${answer.name}"`,
      });
      return reply.send(Readable.from(answer.text));
    case 'page': {
      const shown = visitor.flash === null ? [] : [flashCookie(null, isSecure)];
      reply.header('set-cookie', [...cookies, ...shown, ...(answer.page.cookies ?? [])]);
      reply.headers(pageHeaders(visitor.language, CONSOLE_POLICY));
      return reply.code(answer.page.status ?? 200).send(await renderLayout(visitor, answer.page));
    }
  }
}
