import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Queryable } from '../database/database.ts';
import type { Permission } from '../shops/permission.ts';
import { type ConsoleResponse, NOT_FOUND } from './response.ts';
import type { ConsoleDeps } from './deps.ts';
import type { RequestContext, AccountContext } from './request-context.ts';

/**
 * The permissions that a route requires: a single permission, any of several, or all of several.
 * Null allows every member.
 */
export type RequiredPermission =
  | Permission
  | readonly Permission[]
  | { readonly all: readonly Permission[] }
  | null;

/** Requires both permissions, because the forms show the stock and places that they change. */
export const EDIT_STOCK_PERMISSIONS = { all: ['inventory.read', 'inventory.write'] } as const;
/** Requires both permissions, because the forms show the boosts that they change. */
export const EDIT_BOOSTS_PERMISSIONS = { all: ['purchases.read', 'purchases.write'] } as const;

/** A purchase changes a boost and creates units. */
export const BUY_ON_BOOST_PERMISSIONS = {
  all: [...EDIT_BOOSTS_PERMISSIONS.all, ...EDIT_STOCK_PERMISSIONS.all],
} as const;

/** Mounts one section of a shop's pages. Paths are relative to `/console/shops/:slug`. */
export interface SectionRoutes {
  /** Mounts a page, or another response to GET that changes nothing. */
  page(
    path: string,
    needed: RequiredPermission,
    handle: (context: RequestContext) => Promise<ConsoleResponse>,
  ): void;
  /** The form's token (CSRF) is checked before the handler runs. */
  action(
    path: string,
    needed: RequiredPermission,
    handle: (context: RequestContext) => Promise<ConsoleResponse>,
  ): void;
  /**
   * The section's Fastify scope, for routes with other bodies or responses, such as uploads and
   * images. Such a route authorizes the member with `gate`, and checks the form's token with
   * `isValidFormToken` before it writes.
   */
  readonly scope: FastifyInstance;
  readonly gate: Gate;
}

/** Authorizes members. If the gate throws a refusal, the response is the page of that refusal. */
export interface Gate {
  /**
   * Adds a route of this section to the list of routes. Returns the route's path within `scope`.
   */
  readonly registerPath: (
    method: 'GET' | 'POST',
    sub: string,
    needed: RequiredPermission,
  ) => string;
  /**
   * Returns the context of an authorized request.
   *
   * @throws ConsoleRefusal when the person is not signed in, the shop or member does not exist, or
   * the permission is missing
   */
  readonly authorize: (
    request: RequestContext['request'],
    needed: RequiredPermission,
  ) => Promise<RequestContext>;
  /**
   * Checks session, membership and permission again inside a writing transaction, after a long body
   * has arrived.
   *
   * @throws ConsoleRefusal for the same reasons as `authorize`
   */
  readonly reauthorize: (
    tx: Queryable,
    context: RequestContext,
    needed: RequiredPermission,
  ) => Promise<void>;
  /**
   * Returns true if the form was issued to this browser and session and was not sent by another
   * site.
   */
  readonly isValidFormToken: (context: AccountContext, token: string | undefined) => boolean;
  /** Sends the response that a handler returned. */
  readonly send: (
    reply: FastifyReply,
    context: RequestContext,
    response: ConsoleResponse,
  ) => Promise<FastifyReply>;
}

export type MountSection = (routes: SectionRoutes, deps: ConsoleDeps) => void | Promise<void>;

/** Mounts pages that do not belong to a shop. Paths are relative to `/console`. */
export interface AccountRoutes {
  page(path: string, handle: (context: AccountContext) => Promise<ConsoleResponse>): void;
  action(path: string, handle: (context: AccountContext) => Promise<ConsoleResponse>): void;
  /**
   * Adds a route without sign-in to the list of routes, and returns its path within `scope`. A
   * handler that writes must check the form's token.
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
 * Returns a function that wraps a handler. The wrapper looks up the resource in the path, and
 * responds with 404 if this shop does not have it.
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
