import {
  type Configuration,
  errors,
  type JWK,
  type KoaContextWithOIDC,
  type default as Provider,
} from 'oidc-provider';
import { deriveKey } from '../base/keys.ts';
import { hashSecret, isSameSecret, newSecretOfShop } from '../base/secrets.ts';
import {
  setSecretComparison,
  createWrappedProvider,
  setTokenGenerators,
} from '../patches/oidc-provider.ts';
import { findAccount } from '../shops/account.ts';
import { createAdapterFactory } from './adapter.ts';
import type { Addresses } from './addresses.ts';
import { authorizationPolicy, checkAuthorizationRequest } from './authorization-policy.ts';
import { allowedScopes, CLIENT_PROPERTIES, secretHashes, shopOfClient } from './client-metadata.ts';
import { type GrantStore, REFRESH_TOKEN_SECONDS } from './grant-store.ts';
import { LibraryRequest } from './library-request.ts';
import {
  GRANT_TYPES,
  isGrantType,
  type RefreshReplay,
  type RateLimitResult,
  TokenRequestHandler,
} from './token-request.ts';

/** The lifetime of an access token (spec 5.4). */
export const ACCESS_TOKEN_SECONDS = 900;
/** The lifetime of an authorization code (decision 0007). */
const CODE_SECONDS = 60;
/** The lifetime of a Grant. An approval does not expire, but the library requires a lifetime. */
const GRANT_SECONDS = 10 * 365 * 86_400;
/** The time to decide. */
const INTERACTION_SECONDS = 900;
const ID_TOKEN_SECONDS = 900;

export interface ProviderOptions {
  readonly store: GrantStore;
  readonly addresses: Addresses;
  readonly secretKey: string;
  /** `SECRET_KEY_PREVIOUS`: decrypts stored responses that were encrypted with it. */
  readonly previousKey?: string | null;
  readonly signingKey: JWK;
  readonly replay: RefreshReplay;
  readonly countRequest: (clientId: string) => RateLimitResult;
  /** Shows an error that cannot be sent to a client. */
  readonly renderError: (ctx: KoaContextWithOIDC, error: unknown) => Promise<void>;
}

/** The authorization code flow (spec 5.3) of oidc-provider, a certified library. */
export function createProvider(options: ProviderOptions): Provider {
  const { store, addresses, previousKey = null } = options;
  const requests = new TokenRequestHandler({
    store,
    resource: addresses.resource,
    replay: options.replay,
    responseKeys: [
      deriveKey(options.secretKey, 'refresh answer'),
      ...(previousKey === null ? [] : [deriveKey(previousKey, 'refresh answer')]),
    ],
    countRequest: options.countRequest,
  });
  const provider = createWrappedProvider({
    issuer: addresses.issuer,
    configuration: configurationOf(options),
    grantTypes: GRANT_TYPES,
    handleGrant: async (ctx, grantType, handle) => {
      if (!isGrantType(grantType)) throw new Error(`unsupported grant type: ${grantType}`);
      await requests.handle(ctx, grantType, handle);
    },
    responseModes: ['query'],
  });
  // The library may trust the proxy headers, because `LibraryRequest` sets them from PUBLIC_URL.
  provider.proxy = true;
  setTokenGenerators(provider, {
    AccessToken: (client) => newSecretOfShop('cpa', shopOfClient(client)),
    AuthorizationCode: (client) => newSecretOfShop('cpc', shopOfClient(client)),
    RefreshToken: () => {
      const claims = store.tokenTransaction?.nextRefresh;
      if (!claims) throw new Error('a refresh token is created outside a token request');
      return store.refreshTokens.issue(claims);
    },
  });
  setSecretComparison(provider, (client, secret) => {
    const hash = hashSecret(secret);
    return secretHashes(client).some((known) => isSameSecret(known, hash));
  });
  return provider;
}

export function configurationOf(
  options: Pick<
    ProviderOptions,
    'store' | 'addresses' | 'secretKey' | 'signingKey' | 'renderError'
  >,
): Configuration {
  const { store, addresses, secretKey } = options;
  return {
    adapter: createAdapterFactory(store),
    clientAuthMethods: ['client_secret_basic'],
    clientDefaults: { token_endpoint_auth_method: 'client_secret_basic' },
    extraClientMetadata: { properties: CLIENT_PROPERTIES },
    cookies: cookies(addresses.publicUrl, secretKey),
    jwks: { keys: [options.signingKey] },
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name'] },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    enableHttpPostMethods: false,
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    acceptQueryParamAccessTokens: false,
    clientBasedCORS: () => false,
    routes: {
      authorization: '/oauth2/authorize',
      token: '/oauth2/token',
      revocation: '/oauth2/revoke',
      jwks: '/oauth2/jwks',
    },
    features: features(addresses.resource),
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      Grant: GRANT_SECONDS,
      IdToken: ID_TOKEN_SECONDS,
      Interaction: INTERACTION_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Session: INTERACTION_SECONDS,
    },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client, source) =>
      source.scopes.has('offline_access') && allowedScopes(client).has('offline_access'),
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    interactions: {
      policy: authorizationPolicy(),
      url: (ctx, { uid }) =>
        LibraryRequest.of(ctx).caller.signInFirst ?? `/auth/interaction/${uid}`,
    },
    findAccount: async (_ctx, sub, token) => {
      const name = await findName(store, sub, token);
      if (name === undefined) return undefined;
      return { accountId: sub, claims: () => ({ sub, name }) };
    },
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId);
    },
    renderError: async (ctx, _out, error) => await options.renderError(ctx, error),
  };
}

function cookies(publicUrl: string, secretKey: string): NonNullable<Configuration['cookies']> {
  // Not `__Host-`, which requires the path `/`: each cookie is for the path of one interaction.
  const prefix = publicUrl.startsWith('https:') ? '__Secure-' : '';
  const options = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  return {
    keys: [deriveKey(secretKey, 'cookie').toString('base64url')],
    names: {
      session: `${prefix}cardport_unused`,
      interaction: `${prefix}cardport_interaction`,
      resume: `${prefix}cardport_resume`,
    },
    short: options,
    long: options,
  };
}

/** Enables revocation and resource indicators, the only features beyond the code flow. */
function features(resource: string): NonNullable<Configuration['features']> {
  return {
    claimsParameter: { enabled: false },
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    introspection: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: { enabled: false },
    requestObjects: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    revocation: {
      enabled: true,
      // A client cannot revoke another client's token. The response is 200, as for an unknown token
      // (RFC 7009 §2.1).
      allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => {
        throw new errors.InvalidTarget('resource is required');
      },
      useGrantedResource: () => {
        throw new errors.InvalidTarget('resource is required');
      },
      getResourceServerInfo: (ctx, given, client) => {
        checkAuthorizationRequest(ctx, client, given, resource);
        return {
          scope: [...allowedScopes(client)].filter((scope) => scope.includes(':')).join(' '),
          audience: resource,
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
          accessTokenFormat: 'opaque',
        };
      },
    },
  };
}

/** Undefined if the member's access has ended. */
async function findName(
  store: GrantStore,
  accountId: string,
  token: object | undefined,
): Promise<string | undefined> {
  const { tokenTransaction } = store;
  if (tokenTransaction !== null) {
    const { member } = tokenTransaction;
    return member?.accountId === accountId ? member.name : undefined;
  }
  // Only disabled features of the library look up the account of a token outside a token request.
  if (token !== undefined) return undefined;
  return (await findAccount(store.queryable, accountId))?.name;
}
