import type { ConnectionRevokedError } from './errors.ts';
import type { Signal } from './platform.ts';

export interface TokenSource {
  /** A token that is about to expire is refreshed once for all concurrent callers. */
  accessToken(signal?: Signal): Promise<string>;
  /**
   * Called after 401 `invalid_token`. Returns a different token: one that is already stored, or the
   * result of one refresh. Throws {@link ApprovalNeededError} when no refresh is possible.
   */
  replaceRefused(accessToken: string, signal?: Signal): Promise<string>;
  /** Called after 403 `connection_revoked`. `accessToken` throws until other tokens are stored. */
  markRevoked(accessToken: string, error: ConnectionRevokedError): void;
}

export interface ShopTokens extends TokenSource {
  /** Returns true if there may still be a connection that these tokens can no longer end. */
  mayLeaveConnection(): Promise<boolean>;
  /** Removes the tokens without a request to the service. */
  remove(): Promise<void>;
  /** Revokes the approval at the service (RFC 7009), then removes the tokens. */
  revoke(signal?: Signal): Promise<void>;
}
