/**
 * The URLs of the authorization server and its resource, all built from `PUBLIC_URL` and never from
 * a request.
 */
export interface Addresses {
  /** The public origin of the service. */
  readonly publicUrl: string;
  /** `{auth_url}`, also the issuer (RFC 8414 §2). */
  readonly issuer: string;
  /** `{base_url}`, the only protected resource (RFC 8707). */
  readonly resource: string;
  /** `{metadata_url}` (RFC 9728 §3.1). */
  readonly resourceMetadata: string;
}

/** The path under which the authorization server is mounted (decision 0001). */
export const AUTH_PATH = '/auth';

export function addressesOf(publicUrl: string): Addresses {
  return {
    publicUrl,
    issuer: `${publicUrl}${AUTH_PATH}`,
    resource: `${publicUrl}/partner/v1`,
    resourceMetadata: `${publicUrl}/.well-known/oauth-protected-resource/partner/v1`,
  };
}
