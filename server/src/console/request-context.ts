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
  /** The secret from the session cookie. Only the hash of the secret is stored. */
  readonly sessionSecret: string;
  readonly actor: Extract<Actor, { readonly kind: 'member' }>;
  readonly language: Language;
  /**
   * Formats dates and numbers in the member's language and the shop's time zone. The pages of a
   * person's account use the time zone of the person's first shop, or UTC.
   */
  readonly format: Formatter;
  readonly now: Date;
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The parameters of the query. A repeated parameter has its first value. */
  readonly query: Readonly<Record<string, string>>;
  /** The fields of the posted form without its token. The map is empty for a GET request. */
  readonly form: ReadonlyMap<string, string>;
  /** The hidden input with the form's token, which every POST form must contain. */
  readonly formToken: Markup;
  /**
   * The form that the member posted to this address after their session had ended, or null. The
   * form has not been processed.
   */
  readonly formDraft: ReadonlyMap<string, string> | null;
  /** The message about the last action, or null. */
  readonly flash: FlashCode | null;
}

/** The request context of a member in one shop. */
export interface RequestContext extends AccountContext {
  readonly shop: Shop & { readonly unitsMax: number };
  readonly permissions: ReadonlySet<Permission>;
  /** True when the member has the permission. */
  readonly can: (permission: Permission) => boolean;
  /** For example `shopPath('/boosts')`. `shopPath('')` is Home. */
  readonly shopPath: (sub: string) => string;
}
