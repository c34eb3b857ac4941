import { CardportError, retryAfterOf } from './errors.ts';
import { MalformedAnswerError } from './local-errors.ts';
import { findAddressProblem } from './service-address.ts';
import type { Transport } from './transport.ts';
import { redactSecrets } from './redact.ts';

export interface ServerAddresses {
  /** The `{auth_url}` of the specification. */
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string;
  /** True if every response of the authorization endpoint includes `iss` (RFC 9207). */
  readonly sendsIssuer: boolean;
}

/** The maximum size of a metadata document. Real documents have 1 to 2 kB. */
const METADATA_BYTES_MAX = 65_536;

/** Without this cache, an app with a thousand shops might start a thousand discoveries. */
const FAILURE_CACHED_MS = 5_000;
/** One hour. A longer `Retry-After` is treated as one hour. */
const FAILURE_CACHED_MS_MAX = 3_600_000;

/** Returns the endpoints below a known `{auth_url}` (spec 5.1). */
export function addressesFromAuthUrl(authUrl: string): ServerAddresses {
  return {
    issuer: authUrl,
    authorizationEndpoint: `${authUrl}/oauth2/authorize`,
    tokenEndpoint: `${authUrl}/oauth2/token`,
    revocationEndpoint: `${authUrl}/oauth2/revoke`,
    sendsIssuer: false,
  };
}

/**
 * Discovers the authorization server from the API's and its own metadata (RFC 9728, RFC 8414). Each
 * document must contain the address from which it was fetched. The server must support S256, and
 * its endpoints must be as safe as `baseUrl`, because the client secret is sent to them.
 */
export async function discover(transport: Transport, baseUrl: string): Promise<ServerAddresses> {
  const { origin, pathname, protocol } = new URL(baseUrl);
  const resource = await fetchMetadata(
    transport,
    `${origin}/.well-known/oauth-protected-resource${pathname}`,
  ).catch((error: unknown) => {
    if (!(error instanceof CardportError) || error.status !== 404) throw error;
    throw malformed(`there is no Partner API at ${baseUrl}: baseUrl must end in /partner/v1`, 404);
  });
  if (resource['resource'] !== baseUrl) {
    throw malformed(
      `baseUrl is ${baseUrl}, but the service gives another address: ${quoted(resource['resource'])}`,
    );
  }
  const servers: unknown = resource['authorization_servers'];
  const issuer = safeUrl(Array.isArray(servers) ? servers[0] : undefined, protocol);
  // spec 5.1: the metadata document is below {auth_url}.
  const server = await fetchMetadata(transport, `${issuer}/.well-known/oauth-authorization-server`);
  if (server['issuer'] !== issuer) {
    throw malformed(`the metadata of ${issuer} names another issuer: ${quoted(server['issuer'])}`);
  }
  const methods: unknown = server['code_challenge_methods_supported'];
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    throw malformed(`the authorization server ${issuer} does not support PKCE with S256`);
  }
  return {
    issuer,
    authorizationEndpoint: safeUrl(server['authorization_endpoint'], protocol),
    tokenEndpoint: safeUrl(server['token_endpoint'], protocol),
    revocationEndpoint: safeUrl(server['revocation_endpoint'], protocol),
    sendsIssuer: server['authorization_response_iss_parameter_supported'] === true,
  };
}

/** Caches the result permanently, and a failure for a few seconds or its `Retry-After`. */
export function discoverOnce(
  transport: Transport,
  baseUrl: string,
): () => Promise<ServerAddresses> {
  let pending: Promise<ServerAddresses> | undefined;
  let failure: { readonly at: number; readonly error: unknown } | undefined;
  return async () => {
    if (failure !== undefined) {
      const age = transport.now() - failure.at;
      const cachedMs = Math.max(FAILURE_CACHED_MS, retryAfterOf(failure.error) ?? 0);
      if (age >= 0 && age < Math.min(cachedMs, FAILURE_CACHED_MS_MAX)) throw failure.error;
      failure = undefined;
    }
    const attempt = (pending ??= discover(transport, baseUrl));
    try {
      return await attempt;
    } catch (error) {
      if (pending === attempt) {
        pending = undefined;
        failure = { at: transport.now(), error };
      }
      throw error;
    }
  };
}

async function fetchMetadata(
  transport: Transport,
  url: string,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await transport.send({
    method: 'GET',
    url,
    responseBytesMax: METADATA_BYTES_MAX,
  });
  const value = response.json();
  if (typeof value !== 'object' || value === null) {
    throw malformed(`the metadata at ${url} is not a JSON object`);
  }
  return { ...value };
}

/** Throws if an option could not have this address, or if it is http although the API is https. */
function safeUrl(value: unknown, protocol: string): string {
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw malformed(`the metadata contains an invalid address: ${quoted(value)}`);
  }
  const fault = findAddressProblem(value);
  if (fault !== undefined) throw malformed(`an address in the metadata ${fault}: ${quoted(value)}`);
  if (protocol === 'https:' && new URL(value).protocol !== 'https:') {
    throw malformed(
      `an address in the metadata must use https, because baseUrl does: ${quoted(value)}`,
    );
  }
  return value;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? redactSecrets(value) : 'a value that is not a string';
}

function malformed(message: string, status: number | null = null): MalformedAnswerError {
  return new MalformedAnswerError({ message, status });
}
