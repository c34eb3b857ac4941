/** Where the authorization server and its resource are. Every address comes from `PUBLIC_URL`, never from a request. */
export interface Addresses {
  /** The origin under which the service is reached. */
  readonly publicUrl: string;
  /** `{auth_url}`, also the issuer (RFC 8414 §2). */
  readonly issuer: string;
  /** `{base_url}`, the only resource there is (RFC 8707). */
  readonly resource: string;
  /** `{metadata_url}` (RFC 9728 §3.1). */
  readonly resourceMetadata: string;
}

/** The path under which the authorization server is mounted (decision 0001). */
export const AUTH_PATH = '/auth';

/** The addresses of a service whose origin is `publicUrl`. */
export function addressesOf(publicUrl: string): Addresses {
  return {
    publicUrl,
    issuer: `${publicUrl}${AUTH_PATH}`,
    resource: `${publicUrl}/partner/v1`,
    resourceMetadata: `${publicUrl}/.well-known/oauth-protected-resource/partner/v1`,
  };
}
