import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { hashSecret } from '../base/secrets.ts';
import type { Queryable } from '../database/database.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { findShopTimezone } from '../inventory/shop-timezone.ts';
import { readCookie } from '../html/cookie.ts';
import { FORM_TOKEN_FIELD } from '../html/form-guard.ts';
import { findMember } from '../shops/member.ts';
import { PERMISSIONS, type Permission } from '../shops/permission.ts';
import { listShopsOfAccount } from '../shops/shop-list.ts';
import { findSession } from '../shops/session.ts';
import { findShopBySlug } from '../shops/shop.ts';
import { formRequestOf, languageOf } from '../sign-in/browser.ts';
import type { SignedIn } from '../sign-in/session-cookie.ts';
import type { ConsoleDeps } from './deps.ts';
import { FLASH_COOKIE, readFlash } from './flash.ts';
import { createFormatter } from './format.ts';
import { joinFormTokens, saveFormDraft, readFormDraft, csrfTokenOf } from './form-draft.ts';
import { ConsoleRefusal } from './refusal.ts';
import type { RequiredPermission } from './section.ts';
import type { RequestContext, AccountContext } from './request-context.ts';

/** An authorized request context, with the cookies that the response must carry. */
export interface Authorized<V extends AccountContext> {
  readonly context: V;
  /**
   * Sets the cookie of the form guard if the browser does not have it yet, and removes the cookie
   * of a form draft that this page shows.
   */
  readonly cookies: readonly string[];
}

/** The base path and name of a shop. */
export interface ShopLink {
  readonly href: string;
  readonly name: string;
}

const NO_FORM: ReadonlyMap<string, string> = new Map();

/** Authorizes requests of signed-in persons and members, and checks form tokens (CSRF). */
export class ConsoleGate {
  readonly #deps: ConsoleDeps;
  readonly #isSecure: boolean;
  readonly #limiter: RateLimiter;
  readonly #shopLinks = new WeakMap<FastifyRequest, ShopLink>();

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.#isSecure = deps.publicUrl.startsWith('https:');
    this.#limiter = new RateLimiter('console', deps.rateLimits?.console ?? null, deps.clock);
  }

  /**
   * Requires a signed-in person.
   *
   * @throws ConsoleRefusal `sign_in`, `too_many`
   */
  async authorizeAccount(request: FastifyRequest): Promise<Authorized<AccountContext>> {
    const signedIn = await this.#findSignedIn(request);
    const { db } = this.#deps;
    // Account pages belong to no shop. The time zone of the person's first shop is the best guess.
    const [first] = await listShopsOfAccount(db, signedIn.account.id);
    const zone = first === undefined ? undefined : await findShopTimezone(db, first.id);
    return this.#createContext(request, signedIn, zone ?? 'UTC');
  }

  /**
   * Requires an active member of the shop in the path who has the permission.
   *
   * @throws ConsoleRefusal `sign_in`, `too_many`, `not_found` (no such shop, or not an active
   * member), `shop_closed`, `no_permission`
   */
  async authorizeMember(
    request: FastifyRequest,
    needed: RequiredPermission,
  ): Promise<Authorized<RequestContext>> {
    const { db, shopUnitsMax: unitsMax } = this.#deps;
    const slug = texts(request.params)['slug'] ?? '';
    const [signedIn, shop] = await Promise.all([
      this.#findSignedIn(request),
      findShopBySlug(db, slug),
    ]);
    if (shop === undefined) throw new ConsoleRefusal({ kind: 'not_found' });
    const [member, zone] = await Promise.all([
      findMember(db, shop.id, signedIn.account.id),
      findShopTimezone(db, shop.id),
    ]);
    if (member?.isActive !== true) throw new ConsoleRefusal({ kind: 'not_found' });
    if (shop.closedAt !== null) throw new ConsoleRefusal({ kind: 'shop_closed', name: shop.name });
    const permissions: ReadonlySet<Permission> = new Set(member.permissions);
    request.subject = { shopId: shop.id, clientId: null };
    const base = `/console/shops/${shop.slug}`;
    this.#shopLinks.set(request, { href: base, name: shop.name });
    const { context: accountContext, cookies } = this.#createContext(
      request,
      signedIn,
      zone ?? 'UTC',
    );
    const context: RequestContext = {
      ...accountContext,
      shop: { ...shop, unitsMax },
      permissions,
      can: (permission) => permissions.has(permission),
      shopPath: (sub) => `${base}${sub}`,
    };
    requirePermission(permissions, needed);
    return { context, cookies };
  }

  /**
   * Authorizes again inside the writing transaction: receiving a body may take a minute, and the
   * member may have been signed out or deactivated since the first check.
   *
   * @throws ConsoleRefusal `sign_in`, `not_found`, `no_permission`
   */
  async reauthorize(
    tx: Queryable,
    context: RequestContext,
    needed: RequiredPermission,
  ): Promise<void> {
    const { account, shop, sessionSecret } = context;
    const session = await findSession(tx, sessionSecret, this.#deps.clock.now());
    if (session === undefined) throw new ConsoleRefusal({ kind: 'sign_in', next: null });
    const member = await findMember(tx, shop.id, account.id);
    if (member?.isActive !== true) throw new ConsoleRefusal({ kind: 'not_found' });
    requirePermission(new Set(member.permissions), needed);
  }

  /**
   * Returns the shop to which a refusal page links. Undefined if the person is not an active member
   * of that shop.
   */
  shopLinkOf(request: FastifyRequest): ShopLink | undefined {
    return this.#shopLinks.get(request);
  }

  /**
   * Returns true if the form was issued to this browser and session and was not sent by another
   * site.
   */
  isValidFormToken(context: AccountContext, token: string | undefined): boolean {
    const { guard } = this.#deps.signIn;
    return guard.isValid(
      formRequestOf(context.request),
      csrfTokenOf(token),
      purposeOf(context.sessionSecret),
    );
  }

  async #findSignedIn(request: FastifyRequest): Promise<SignedIn> {
    const { clock, db, signIn } = this.#deps;
    const signedIn = await signIn.cookie.find(db, request.headers.cookie, clock.now());
    if (signedIn === undefined) {
      if (request.method === 'GET') {
        throw new ConsoleRefusal({ kind: 'sign_in', next: request.originalUrl });
      }
      const formDraft = this.#saveDraft(request);
      const next = formDraft === null ? null : pathOf(request);
      throw new ConsoleRefusal({ kind: 'sign_in', next, formDraft });
    }
    const { isAllowed, retryAfterSeconds } = this.#limiter.take(signedIn.account.id);
    if (!isAllowed) throw new ConsoleRefusal({ kind: 'too_many', retryAfterSeconds });
    return signedIn;
  }

  /**
   * Stores a form that was posted without a session as a draft, so that its page can show it after
   * sign-in. Returns null for a form of another site, or if no page has the form's path.
   */
  #saveDraft(request: FastifyRequest): string | null {
    const { clock, signIn } = this.#deps;
    if (!signIn.guard.isFromThisSite(formRequestOf(request))) return null;
    const { url = '' } = request.routeOptions;
    if (!request.server.hasRoute({ method: 'GET', url })) return null;
    return saveFormDraft(pathOf(request), request.body, clock.now(), this.#isSecure);
  }

  #createContext(
    request: FastifyRequest,
    signedIn: SignedIn,
    zone: string,
  ): Authorized<AccountContext> {
    const { account, secret } = signedIn;
    const now = this.#deps.clock.now();
    const language = account.language ?? languageOf(request);
    const { cookie } = request.headers;
    const { tokens, setCookie } = this.#deps.signIn.guard.issueAll(cookie, [
      purposeOf(secret),
      `kept form ${account.id}`,
    ]);
    const token = joinFormTokens(tokens);
    const draft =
      request.method === 'GET'
        ? readFormDraft(pathOf(request), cookie, tokens[1] ?? '', now, this.#isSecure)
        : null;
    const context: AccountContext = {
      request,
      account,
      sessionSecret: secret,
      actor: { kind: 'member', accountId: account.id },
      language,
      format: createFormatter(language, zone, now),
      now,
      params: paramsOf(request),
      query: texts(request.query),
      form: NO_FORM,
      formToken: html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}" />`,
      formDraft: draft?.fields ?? null,
      flash: readFlash(readCookie(cookie, FLASH_COOKIE)),
    };
    const cookies = [setCookie, draft?.clear ?? null].filter((each) => each !== null);
    return { context, cookies };
  }
}

/** Binds forms to the session, so that a form left open by a previous user is rejected. */
function purposeOf(sessionSecret: string): string {
  return `console ${hashSecret(sessionSecret)}`;
}

function pathOf({ originalUrl }: FastifyRequest): string {
  return originalUrl.split('?')[0] ?? '';
}

function requirePermission(permissions: ReadonlySet<Permission>, needed: RequiredPermission): void {
  const missing = findMissingPermissions(permissions, needed);
  if (missing.length === 0) return;
  const inOrder = PERMISSIONS.filter((permission) => missing.includes(permission));
  throw new ConsoleRefusal({ kind: 'no_permission', needed: inOrder });
}

/** Returns an empty array if access is allowed. */
function findMissingPermissions(
  permissions: ReadonlySet<Permission>,
  needed: RequiredPermission,
): readonly Permission[] {
  if (needed === null) return [];
  if (typeof needed === 'string') return permissions.has(needed) ? [] : [needed];
  if ('all' in needed) return needed.all.filter((permission) => !permissions.has(permission));
  return needed.some((permission) => permissions.has(permission)) ? [] : needed;
}

/**
 * Returns the parameters of the path.
 *
 * @throws ConsoleRefusal `not_found` when a parameter cannot be stored as text, because no id can
 * match it
 */
function paramsOf({ params }: FastifyRequest): Readonly<Record<string, string>> {
  const valid = texts(params);
  const isWhole = Object.keys(valid).length === Object.keys(params ?? {}).length;
  if (!isWhole) throw new ConsoleRefusal({ kind: 'not_found' });
  return valid;
}

/** If a parameter is repeated, its first value is used. */
function texts(values: unknown): Readonly<Record<string, string>> {
  if (typeof values !== 'object' || values === null) return {};
  const pairs = Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    // PostgreSQL text cannot contain NUL, so no stored value can match.
    return typeof first === 'string' && !first.includes('\0') && first.isWellFormed()
      ? [[name, first] as const]
      : [];
  });
  return Object.fromEntries(pairs);
}
