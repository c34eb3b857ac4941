import type { FastifyRequest } from 'fastify';
import type { Language } from '../pages/language.ts';
import type { Markup } from '../pages/page.ts';
import type { Account } from '../shops/account.ts';
import type { Actor } from '../shops/audit.ts';
import type { Permission } from '../shops/permission.ts';
import type { Shop } from '../shops/shop.ts';
import type { FlashCode } from './flash.ts';
import type { Format } from './format.ts';

/** A request of somebody who is signed in. */
export interface Visitor {
  readonly request: FastifyRequest;
  readonly account: Account;
  /** Of the cookie; only its hash is stored. */
  readonly sessionSecret: string;
  readonly actor: Actor;
  readonly language: Language;
  /** Writes dates and numbers in the member's language and the shop's time zone: on a person's own pages that of his first shop, or UTC. */
  readonly format: Format;
  readonly now: Date;
  /** Of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Of the query; of one that is given twice, the first. */
  readonly query: Readonly<Record<string, string>>;
  /** Of the posted form, without its token; empty for a page. */
  readonly form: ReadonlyMap<string, string>;
  /** The hidden input that every form which writes must hold. */
  readonly formToken: Markup;
  /** What the page before has done, or null. */
  readonly flash: FlashCode | null;
}

/** A member's request for something of one shop. */
export interface Visit extends Visitor {
  readonly shop: Shop;
  readonly permissions: ReadonlySet<Permission>;
  /** True when the member may do what the permission names. */
  readonly may: (permission: Permission) => boolean;
  /** An address of this shop's pages: `path('/boosts')`; `path('')` is Home. */
  readonly path: (sub: string) => string;
}
