import { CardportError, retryAfterOf } from './errors.ts';
import { MalformedAnswerError } from './local-errors.ts';
import { faultOfAddress } from './service-address.ts';
import type { Transport } from './transport.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Where the authorization server of a Partner API is. */
export interface ServerAddresses {
  /** `{auth_url}`. */
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string;
  /** Whether every answer of the authorization endpoint names its issuer (RFC 9207). */
  readonly sendsIssuer: boolean;
}

/** A document of metadata has 1 or 2 kB. */
const METADATA_BYTES_MAX = 65_536;

/** So long a failed search, in milliseconds, is the answer to all who ask: a thousand shops of one app ask at once. */
const FAILURE_KEPT_MS = 5_000;
/** A service that asks to be left alone for longer than this, in milliseconds, is asked again all the same. */
const FAILURE_KEPT_MS_MAX = 3_600_000;

/** The addresses under a known `{auth_url}` (specification 5.1). */
export function addressesUnder(authUrl: string): ServerAddresses {
  return {
    issuer: authUrl,
    authorizationEndpoint: `${authUrl}/oauth2/authorize`,
    tokenEndpoint: `${authUrl}/oauth2/token`,
    revocationEndpoint: `${authUrl}/oauth2/revoke`,
    sendsIssuer: false,
  };
}

/**
 * Finds the authorization server of a Partner API by the metadata of both (RFC 9728, RFC 8414). Both must name themselves
 * as they were asked for, the server must offer S256, and its addresses must be as safe as `baseUrl`: the client secret
 * is sent there.
 */
export async function discover(transport: Transport, baseUrl: string): Promise<ServerAddresses> {
  const { origin, pathname, protocol } = new URL(baseUrl);
  const resource = await fetchMetadata(
    transport,
    `${origin}/.well-known/oauth-protected-resource${pathname}`,
  ).catch((error: unknown) => {
    if (!(error instanceof CardportError) || error.status !== 404) throw error;
    throw malformed(`there is no Partner API at ${baseUrl}: its address ends in /partner/v1`, 404);
  });
  if (resource['resource'] !== baseUrl) {
    throw malformed(
      `the service calls itself ${quoted(resource['resource'])}, and baseUrl is ${baseUrl}`,
    );
  }
  const servers: unknown = resource['authorization_servers'];
  const issuer = safeUrl(Array.isArray(servers) ? servers[0] : undefined, protocol);
  // Specification 5.1: the document hangs under {auth_url}.
  const server = await fetchMetadata(transport, `${issuer}/.well-known/oauth-authorization-server`);
  if (server['issuer'] !== issuer) {
    throw malformed(`the authorization server ${issuer} calls itself ${quoted(server['issuer'])}`);
  }
  const methods: unknown = server['code_challenge_methods_supported'];
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    throw malformed(`the authorization server ${issuer} does not offer PKCE with S256`);
  }
  return {
    issuer,
    authorizationEndpoint: safeUrl(server['authorization_endpoint'], protocol),
    tokenEndpoint: safeUrl(server['token_endpoint'], protocol),
    revocationEndpoint: safeUrl(server['revocation_endpoint'], protocol),
    sendsIssuer: server['authorization_response_iss_parameter_supported'] === true,
  };
}

/**
 * {@link discover}, once for all who ask: what was found is kept for good, a failure for some seconds, or as long as the
 * service has asked to be left alone.
 */
export function discoverOnce(
  transport: Transport,
  baseUrl: string,
): () => Promise<ServerAddresses> {
  let search: Promise<ServerAddresses> | undefined;
  let failure: { readonly at: number; readonly error: unknown } | undefined;
  return async () => {
    if (failure !== undefined) {
      const age = transport.now() - failure.at;
      const keptMs = Math.max(FAILURE_KEPT_MS, retryAfterOf(failure.error) ?? 0);
      if (age >= 0 && age < Math.min(keptMs, FAILURE_KEPT_MS_MAX)) throw failure.error;
      failure = undefined;
    }
    const mine = (search ??= discover(transport, baseUrl));
    try {
      return await mine;
    } catch (error) {
      if (search === mine) {
        search = undefined;
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
  const answer = await transport.send({ method: 'GET', url, answerBytesMax: METADATA_BYTES_MAX });
  const value = answer.json();
  if (typeof value !== 'object' || value === null) throw malformed(`${url} is no object`);
  return { ...value };
}

/** An address of metadata as it is written, as good as one of the options. Never http behind an API that is https. */
function safeUrl(value: unknown, protocol: string): string {
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw malformed(`the metadata names ${quoted(value)} as an address`);
  }
  const fault = faultOfAddress(value);
  if (fault !== undefined) throw malformed(`the metadata names ${quoted(value)}, which ${fault}`);
  if (protocol === 'https:' && new URL(value).protocol !== 'https:') {
    throw malformed(`the metadata names ${quoted(value)}, which is not https as baseUrl is`);
  }
  return value;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? withoutSecrets(value) : 'something that is no text';
}

function malformed(message: string, status: number | null = null): MalformedAnswerError {
  return new MalformedAnswerError({ message, status });
}
