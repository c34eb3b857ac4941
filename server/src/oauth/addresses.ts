/** The addresses of spec 5.1. All are built from `PUBLIC_URL`, never from a request. */
export interface Addresses {
  readonly publicUrl: string;
  /** `{auth_url}`, which is also the issuer (RFC 8414 §2). */
  readonly issuer: string;
  /** `{base_url}`, the only protected resource (RFC 8707). */
  readonly resource: string;
  /** `{metadata_url}` (RFC 9728 §3.1). */
  readonly resourceMetadata: string;
}

/** The path prefix of the authorization server (decision 0001). */
export const AUTH_PATH = '/auth';

export function addressesOf(publicUrl: string): Addresses {
  return {
    publicUrl,
    issuer: `${publicUrl}${AUTH_PATH}`,
    resource: `${publicUrl}/partner/v1`,
    resourceMetadata: `${publicUrl}/.well-known/oauth-protected-resource/partner/v1`,
  };
}
