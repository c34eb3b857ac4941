import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Queryable } from '../database/database.ts';
import type { Permission } from '../shops/permission.ts';
import { type ConsoleResponse, NOT_FOUND } from './response.ts';
import type { ConsoleDeps } from './deps.ts';
import type { RequestContext, AccountContext } from './request-context.ts';

/**
 * The permission a route needs: one, any of several, all of several (editing needs reading), or
 * none, for every member (null).
 */
export type RequiredPermission =
  | Permission
  | readonly Permission[]
  | { readonly all: readonly Permission[] }
  | null;

/** Both, because the forms show the stock and places they change. */
export const EDIT_STOCK = { all: ['inventory.read', 'inventory.write'] } as const;
/** Both, because the forms show the boosts they change. */
export const EDIT_BOOSTS = { all: ['purchases.read', 'purchases.write'] } as const;

/** Mounts one section of a shop's pages. Paths are relative to `/console/shops/:slug`. */
export interface SectionRoutes {
  /** A page, or another response to GET that changes nothing. */
  page(
    path: string,
    needed: RequiredPermission,
    handle: (context: RequestContext) => Promise<ConsoleResponse>,
  ): void;
  /** A posted form. Its token (CSRF) is checked first. */
  action(
    path: string,
    needed: RequiredPermission,
    handle: (context: RequestContext) => Promise<ConsoleResponse>,
  ): void;
  /**
   * For other bodies or responses (uploads, images): the scope of the section, and the gate that
   * authorizes its members. A handler that writes must check the form's token with
   * `isValidFormToken`.
   */
  readonly scope: FastifyInstance;
  readonly gate: Gate;
}

/** Authorizes members; what it throws becomes the page of the refusal. */
export interface Gate {
  /** Adds a route of this section to the list of routes; returns its path within `scope`. */
  readonly registerPath: (
    method: 'GET' | 'POST',
    sub: string,
    needed: RequiredPermission,
  ) => string;
  /** @throws ConsoleRefusal: not signed in, no such shop or member, no permission */
  readonly authorize: (
    request: RequestContext['request'],
    needed: RequiredPermission,
  ) => Promise<RequestContext>;
  /**
   * Checks session, membership and permission again inside a writing transaction, after a long body
   * has arrived.
   *
   * @throws ConsoleRefusal as `enter`
   */
  readonly reauthorize: (
    tx: Queryable,
    context: RequestContext,
    needed: RequiredPermission,
  ) => Promise<void>;
  /** Whether a form's token belongs to this browser and session, and no other site sent it. */
  readonly isValidFormToken: (context: AccountContext, token: string | undefined) => boolean;
  /** Sends the response of a handler. */
  readonly send: (
    reply: FastifyReply,
    context: RequestContext,
    response: ConsoleResponse,
  ) => Promise<FastifyReply>;
}

export type MountSection = (routes: SectionRoutes, deps: ConsoleDeps) => void | Promise<void>;

/** Mounts pages of a person without a shop. Paths are relative to `/console`. */
export interface AccountRoutes {
  page(registerPath: string, handle: (context: AccountContext) => Promise<ConsoleResponse>): void;
  action(path: string, handle: (context: AccountContext) => Promise<ConsoleResponse>): void;
  /**
   * For people who are not signed in: the scope, and a function that adds a route to the list of
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

type ResourceHandler<Found> = (
  deps: ConsoleDeps,
  context: RequestContext,
  found: Found,
) => Promise<ConsoleResponse>;

/**
 * Makes handlers that first find the resource named by the path; 404 when this shop has no such
 * resource.
 */
export function withResource<Found>(
  deps: ConsoleDeps,
  find: (db: Queryable, context: RequestContext) => Promise<Found | undefined>,
): (handle: ResourceHandler<Found>) => (context: RequestContext) => Promise<ConsoleResponse> {
  return (handle) => async (context) => {
    const found = await find(deps.db, context);
    return found === undefined ? NOT_FOUND : await handle(deps, context, found);
  };
}
