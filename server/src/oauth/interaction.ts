import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors, type InteractionResults, type default as Provider } from 'oidc-provider';
import { type App, findApp } from '../apps/app.ts';
import { isScope, type Scope } from '../apps/scope.ts';
import type { Transaction } from '../database/database.ts';
import { createApproval } from '../approvals/approval.ts';
import { pathOf } from '../http/route-table.ts';
import { findMember, type Member } from '../shops/member.ts';
import { listMembersWithPermission } from '../shops/member-list.ts';
import { endSession } from '../shops/session.ts';
import { lockOpenShop } from '../shops/change-shop.ts';
import { findShop } from '../shops/shop.ts';
import { languageOf, redirect, sendPage } from '../sign-in/browser.ts';
import type { SignInServices } from '../sign-in/services.ts';
import type { SignedIn } from '../sign-in/session-cookie.ts';
import { fieldsOf, isValidForm } from '../sign-in/sign-in-forms.ts';
import type { Addresses } from './addresses.ts';
import { renderConsentPage } from './consent-page.ts';
import { type OAuthRefusal, refusal } from './error-body.ts';
import type { GrantStore } from './grant-store.ts';
import { signInUrl } from './sign-in-first.ts';

/** How many members the page names to a member who may not approve apps. */
const MANAGERS_NAMED_MAX = 3;

export interface InteractionOptions {
  readonly provider: Provider;
  readonly store: GrantStore;
  readonly addresses: Addresses;
  readonly services: SignInServices;
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

interface InteractionContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly details: Details;
  readonly path: string;
  /** Form tokens with another purpose are not valid for this interaction. */
  readonly purpose: string;
  readonly app: App;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
}

/** Mounts the pages between the authorization request and its response (spec 5.3, step 3). */
export function mountInteraction(scope: FastifyInstance, options: InteractionOptions): void {
  const { services } = options;
  const path = '/auth/interaction/:uid';
  scope.get(path, async (request, reply) => {
    const context = await loadContext(options, request, reply);
    const signedIn = await findSignedIn(services, context);
    if (signedIn !== undefined) return await showConsent(options, context, signedIn);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(context.details.params)) {
      query.set(name, String(value));
    }
    return redirect(reply, signInUrl(query.toString()));
  });

  scope.post(`${path}/switch`, async (request, reply) => {
    const context = await loadContext(options, request, reply);
    if (!isValidForm(services, request, fieldsOf(request.body), context.purpose)) {
      return redirect(reply, context.path);
    }
    const secret = services.cookie.read(request.headers.cookie);
    if (secret !== undefined) await endSession(services.db, secret);
    return redirect(reply, context.path, [services.cookie.clear()]);
  });

  scope.post(path, async (request, reply) => {
    const context = await loadContext(options, request, reply);
    const fields = fieldsOf(request.body);
    const signedIn = await findSignedIn(services, context);
    // Show the current state if another account has signed in, or another site sent the form.
    const isCurrent = signedIn !== undefined && fields.get('account') === signedIn.account.id;
    if (!isCurrent || !isValidForm(services, request, fields, context.purpose)) {
      return redirect(reply, context.path);
    }
    return await decide(options, context, signedIn, fields.get('decision'));
  });
}

/** @throws a page's error if there is no such interaction, or its app is disabled or removed */
async function loadContext(
  { provider, services }: InteractionOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<InteractionContext> {
  const details = await findDetails(provider, request, reply);
  const path = `/auth/interaction/${details?.uid}`;
  const requestPath = pathOf(request.originalUrl);
  if (details === undefined || (requestPath !== path && !requestPath.startsWith(`${path}/`))) {
    throw refused('expired_request', 'this authorization request does not exist or has expired');
  }
  const { client_id: clientId, scope, redirect_uri: redirectUri } = details.params;
  if (typeof clientId !== 'string' || typeof redirectUri !== 'string') {
    throw new TypeError('an interaction without client or redirect URI');
  }
  const app = await findApp(services.db, clientId);
  if (app === undefined || app.removedAt !== null) {
    throw refused('invalid_client', 'the app was removed');
  }
  const { error, description } = disabledAppRefusal();
  if (!app.isEnabled) throw refused(error, description);
  const scopes = typeof scope === 'string' ? scope.split(' ').filter(isScope) : [];
  const purpose = `interaction ${details.uid}`;
  return { request, reply, details, path, purpose, app, scopes, redirectUri };
}

function refused(error: string, description: string): Error {
  return new errors.CustomOIDCProviderError(error, description);
}

export function disabledAppRefusal(): OAuthRefusal {
  return refusal(400, 'unauthorized_client', 'the shop has disabled this app');
}

async function findDetails(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Details | undefined> {
  try {
    return await provider.interactionDetails(request.raw, reply.raw);
  } catch (error) {
    // `expose` marks the error for a missing cookie, and for an expired or used interaction.
    if (error instanceof Error && 'expose' in error && error.expose === true) return undefined;
    throw error;
  }
}

async function findSignedIn(
  { cookie, db, clock }: SignInServices,
  { request }: InteractionContext,
): Promise<SignedIn | undefined> {
  return await cookie.find(db, request.headers.cookie, clock.now());
}

async function showConsent(
  { services }: InteractionOptions,
  context: InteractionContext,
  { account }: SignedIn,
): Promise<FastifyReply> {
  const member = await findMember(services.db, context.app.shopId, account.id);
  const shop = await findShop(services.db, context.app.shopId);
  if (shop === undefined) throw new Error('an app without its shop');
  const isMember = member?.isActive === true && shop.closedAt === null;
  const { token, setCookie } = services.guard.issue(
    context.request.headers.cookie,
    context.purpose,
  );
  const page = await renderConsentPage({
    language: languageOf(context.request),
    app: context.app,
    shopName: shop.name,
    account,
    member: isMember ? member : undefined,
    managers: isMember && !mayApprove(member) ? await listManagers(services, shop.id) : null,
    scopes: context.scopes,
    redirectUri: context.redirectUri,
    action: context.path,
    formToken: token,
  });
  return sendPage(context.reply, page, [setCookie]);
}

/** Locks the interaction: the first decision wins, so a form sent twice creates one approval. */
async function decide(
  options: InteractionOptions,
  context: InteractionContext,
  signedIn: SignedIn,
  decision: string | undefined,
): Promise<FastifyReply> {
  const { provider, store } = options;
  const { request, reply, path } = context;
  if (decision !== 'allow' && decision !== 'deny') return redirect(reply, path);
  const target = await store.inTransaction(async (tx) => {
    const details = await findDetails(provider, request, reply);
    if (details === undefined) return path;
    const { result: decided, returnTo } = details;
    if (decided?.consent !== undefined || decided?.['error'] !== undefined) return returnTo;
    const result = decision === 'deny' ? DENIED : await allow(options, context, signedIn, tx);
    if (result === undefined) return undefined;
    return await provider.interactionResult(request.raw, reply.raw, result);
  });
  if (target === undefined) return await showConsent(options, context, signedIn);
  return redirect(reply, target);
}

const DENIED: InteractionResults = {
  error: 'access_denied',
  error_description: 'the member did not allow the access',
};

/** Undefined if the account is no longer allowed to decide. */
async function allow(
  { provider, addresses, services }: InteractionOptions,
  { app, scopes }: InteractionContext,
  { account, session }: SignedIn,
  tx: Transaction,
): Promise<InteractionResults | undefined> {
  if (!(await canDecide(tx, app, account.id))) return undefined;
  const grant = new provider.Grant({ accountId: account.id, clientId: app.clientId });
  grant.addOIDCScope(scopes.filter((scope) => !scope.includes(':')).join(' '));
  const resourceScopes = scopes.filter((scope) => scope.includes(':'));
  if (resourceScopes.length > 0) {
    grant.addResourceScope(addresses.resource, resourceScopes.join(' '));
  }
  const grantId = await grant.save();
  const { shopId, clientId } = app;
  const approval = { shopId, clientId, accountId: account.id, grantId, scopes };
  const by = { kind: 'member', accountId: account.id } as const;
  await createApproval(tx, approval, services.clock.now(), by);
  const ts = Math.floor(session.createdAt.getTime() / 1_000);
  return { login: { accountId: account.id, remember: false, ts }, consent: { grantId } };
}

async function canDecide(tx: Transaction, app: App, accountId: string): Promise<boolean> {
  if (!(await lockOpenShop(tx, app.shopId))) return false;
  const current = await findApp(tx, app.clientId);
  if (current === undefined || !current.isEnabled || current.removedAt !== null) return false;
  const member = await findMember(tx, app.shopId, accountId);
  return member?.isActive === true && mayApprove(member);
}

function mayApprove({ permissions }: Member): boolean {
  return permissions.includes('integrations.approve');
}

/** Returns the names of members who can give the permission to approve apps. */
async function listManagers({ db }: SignInServices, shopId: string): Promise<readonly string[]> {
  const managers = await listMembersWithPermission(
    db,
    shopId,
    'members.manage',
    MANAGERS_NAMED_MAX,
  );
  return managers.map(({ name }) => name);
}
