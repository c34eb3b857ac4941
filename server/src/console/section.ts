import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Queryable } from '../database/database.ts';
import type { Permission } from '../shops/permission.ts';
import { type ConsoleAnswer, NOT_FOUND } from './answer.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Visit, Visitor } from './visit.ts';

/**
 * The permission a route needs: one, any of several, all of several (editing needs reading), or
 * none, for every member (null).
 */
export type Needed =
  | Permission
  | readonly Permission[]
  | { readonly all: readonly Permission[] }
  | null;

/** Both, because the forms show the stock and places they change. */
export const CHANGES_STOCK = { all: ['inventory.read', 'inventory.write'] } as const;
/** Both, because the forms show the boosts they change. */
export const CHANGES_BOOSTS = { all: ['purchases.read', 'purchases.write'] } as const;

/** Mounts one section of a shop's pages. Paths are relative to `/console/shops/:slug`. */
export interface SectionRoutes {
  /** A page, or another response to GET that changes nothing. */
  page(path: string, needed: Needed, handle: (visit: Visit) => Promise<ConsoleAnswer>): void;
  /** A posted form. Its token (CSRF) is checked first. */
  action(path: string, needed: Needed, handle: (visit: Visit) => Promise<ConsoleAnswer>): void;
  /**
   * For other bodies or responses (uploads, pictures): the scope of the section, and the gate that
   * authorizes its members. A handler that writes must check the form's token with `isOurForm`.
   */
  readonly scope: FastifyInstance;
  readonly gate: Gate;
}

/** Authorizes members; what it throws becomes the page of the refusal. */
export interface Gate {
  /** Adds a route of this section to the list of routes; returns its path within `scope`. */
  readonly path: (method: 'GET' | 'POST', sub: string, needed: Needed) => string;
  /** @throws ConsoleRefusal: not signed in, no such shop or member, no permission */
  readonly enter: (request: Visit['request'], needed: Needed) => Promise<Visit>;
  /**
   * Checks session, membership and permission again inside a writing transaction, after a long body
   * has arrived.
   *
   * @throws ConsoleRefusal as `enter`
   */
  readonly lookAgain: (tx: Queryable, visit: Visit, needed: Needed) => Promise<void>;
  /** Whether a form's token belongs to this browser and session, and no other site sent it. */
  readonly isOurForm: (visit: Visitor, token: string | undefined) => boolean;
  /** Sends the answer of a handler. */
  readonly send: (
    reply: FastifyReply,
    visit: Visit,
    answer: ConsoleAnswer,
  ) => Promise<FastifyReply>;
}

export type MountSection = (routes: SectionRoutes, deps: ConsoleDeps) => void | Promise<void>;

/** Mounts pages of a person without a shop. Paths are relative to `/console`. */
export interface AccountRoutes {
  page(path: string, handle: (visitor: Visitor) => Promise<ConsoleAnswer>): void;
  action(path: string, handle: (visitor: Visitor) => Promise<ConsoleAnswer>): void;
  /**
   * For visitors who are not signed in: the scope, and a function that adds a route to the list of
   * routes and returns its path within the scope. A handler that writes must check the form's
   * token.
   */
  readonly path: (method: 'GET' | 'POST', path: string) => string;
  readonly scope: FastifyInstance;
}

export type MountAccountSection = (
  routes: AccountRoutes,
  deps: ConsoleDeps,
) => void | Promise<void>;

type HandleFound<Found> = (deps: ConsoleDeps, visit: Visit, found: Found) => Promise<ConsoleAnswer>;

/**
 * Makes handlers that first find the resource named by the path; 404 when this shop has no such
 * resource.
 */
export function handlersOf<Found>(
  deps: ConsoleDeps,
  find: (db: Queryable, visit: Visit) => Promise<Found | undefined>,
): (handle: HandleFound<Found>) => (visit: Visit) => Promise<ConsoleAnswer> {
  return (handle) => async (visit) => {
    const found = await find(deps.db, visit);
    return found === undefined ? NOT_FOUND : await handle(deps, visit, found);
  };
}
