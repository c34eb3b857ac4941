import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Queryable } from '../database/database.ts';
import type { Permission } from '../shops/permission.ts';
import { type ConsoleAnswer, NOT_FOUND } from './answer.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Visit, Visitor } from './visit.ts';

/**
 * Who may: the holders of one permission, of any of several, of all of several (what is changed is seen too), or every
 * member (null).
 */
export type Needed =
  | Permission
  | readonly Permission[]
  | { readonly all: readonly Permission[] }
  | null;

/** Changing stock and places shows them. */
export const CHANGES_STOCK = { all: ['inventory.read', 'inventory.write'] } as const;
/** Changing buy boosts shows them. */
export const CHANGES_BOOSTS = { all: ['purchases.read', 'purchases.write'] } as const;

/** What one section of a shop's pages is mounted through. Paths begin behind `/console/shops/:slug`. */
export interface SectionRoutes {
  /** A page, or another answer to GET that changes nothing. */
  page(path: string, needed: Needed, handle: (visit: Visit) => Promise<ConsoleAnswer>): void;
  /** A form that is posted. That it is ours (CSRF) is checked before. */
  action(path: string, needed: Needed, handle: (visit: Visit) => Promise<ConsoleAnswer>): void;
  /**
   * For what needs another body or answer (uploads, pictures): the scope of the section, and how a handler there lets a
   * member in. A handler that writes must check the form's token by itself: `isOurForm`.
   */
  readonly scope: FastifyInstance;
  readonly gate: Gate;
}

/** Lets members in; what it throws becomes the page of the refusal. */
export interface Gate {
  /** The path, within `scope`, of a route of this section; tells the list of routes of it. */
  readonly path: (method: 'GET' | 'POST', sub: string, needed: Needed) => string;
  /** @throws ConsoleRefusal: not signed in, no such shop or member, no permission */
  readonly enter: (request: Visit['request'], needed: Needed) => Promise<Visit>;
  /**
   * Looks at session, membership and permission again, in the transaction of a write that a long body came before.
   *
   * @throws ConsoleRefusal as `enter`
   */
  readonly lookAgain: (tx: Queryable, visit: Visit, needed: Needed) => Promise<void>;
  /** Whether a form's token is of this browser and session, and was not sent by another site. */
  readonly isOurForm: (visit: Visitor, token: string | undefined) => boolean;
  /** Sends what a handler answers with. */
  readonly send: (
    reply: FastifyReply,
    visit: Visit,
    answer: ConsoleAnswer,
  ) => Promise<FastifyReply>;
}

export type MountSection = (routes: SectionRoutes, deps: ConsoleDeps) => void | Promise<void>;

/** What the pages of a person without a shop are mounted through. Paths begin behind `/console`. */
export interface AccountRoutes {
  page(path: string, handle: (visitor: Visitor) => Promise<ConsoleAnswer>): void;
  action(path: string, handle: (visitor: Visitor) => Promise<ConsoleAnswer>): void;
  /**
   * For who is not signed in: the scope, and the path, within it, of a route there; tells the list of routes of it. A
   * handler that writes must check the form's token by itself.
   */
  readonly path: (method: 'GET' | 'POST', path: string) => string;
  readonly scope: FastifyInstance;
}

export type MountAccountSection = (
  routes: AccountRoutes,
  deps: ConsoleDeps,
) => void | Promise<void>;

/** Answers a request for what its path names. */
type HandleFound<Found> = (deps: ConsoleDeps, visit: Visit, found: Found) => Promise<ConsoleAnswer>;

/** Makes handlers of what a path names. Where this shop has no such thing, there is no such page (404). */
export function handlersOf<Found>(
  deps: ConsoleDeps,
  find: (db: Queryable, visit: Visit) => Promise<Found | undefined>,
): (handle: HandleFound<Found>) => (visit: Visit) => Promise<ConsoleAnswer> {
  return (handle) => async (visit) => {
    const found = await find(deps.db, visit);
    return found === undefined ? NOT_FOUND : await handle(deps, visit, found);
  };
}
