import type { FastifyRequest } from 'fastify';
import type { Language } from '../html/language.ts';
import type { Markup } from '../html/page.ts';
import type { Account } from '../shops/account.ts';
import type { Actor } from '../shops/audit.ts';
import type { Permission } from '../shops/permission.ts';
import type { Shop } from '../shops/shop.ts';
import type { FlashCode } from './flash.ts';
import type { Formatter } from './format.ts';

/** The request context of a signed-in person. */
export interface AccountContext {
  readonly request: FastifyRequest;
  readonly account: Account;
  /** From the cookie; only its hash is stored. */
  readonly sessionSecret: string;
  readonly actor: Actor;
  readonly language: Language;
  /**
   * Dates and numbers in the member's language and the shop's time zone; on a person's own pages in
   * the time zone of their first shop, or UTC.
   */
  readonly format: Formatter;
  readonly now: Date;
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parameters of the query; the first one of a repeated parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** Fields of the posted form without its token; empty for a page. */
  readonly form: ReadonlyMap<string, string>;
  /** The hidden input that every form that writes must contain. */
  readonly formToken: Markup;
  /** The message about the last action, or null. */
  readonly flash: FlashCode | null;
}

/** The request context of a member in one shop. */
export interface RequestContext extends AccountContext {
  readonly shop: Shop;
  readonly permissions: ReadonlySet<Permission>;
  /** True when the member has the permission. */
  readonly can: (permission: Permission) => boolean;
  /** An address within this shop's pages: `path('/boosts')`; `path('')` is Home. */
  readonly shopPath: (sub: string) => string;
}
