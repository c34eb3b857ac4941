import type { ConnectionRevokedError } from './errors.ts';
import type { Signal } from './platform.ts';

/** Supplies the access tokens of a shop's calls. */
export interface TokenSource {
  /** A valid token. Shortly before it expires it is refreshed, once for all concurrent callers. */
  accessToken(signal?: Signal): Promise<string>;
  /**
   * Called after 401 `invalid_token`. Refreshes once, unless another token is already stored, and
   * returns the new token. Throws {@link ApprovalNeededError} when no refresh is possible.
   */
  replaceRefused(accessToken: string, signal?: Signal): Promise<string>;
  /**
   * Called after 403 `connection_revoked`: the approval has ended. Until other tokens are stored,
   * `accessToken` throws {@link ApprovalNeededError} at once.
   */
  markRevoked(accessToken: string, error: ConnectionRevokedError): void;
}

/** A source that can also remove or revoke its tokens. */
export interface ShopTokens extends TokenSource {
  /**
   * After an {@link ApprovalNeededError}: true when the tokens have left nothing at the service
   * that still needs ending.
   */
  hasNothingToEnd(): Promise<boolean>;
  /** Removes the tokens without a request to the service. */
  remove(): Promise<void>;
  /** Revokes the approval at the service (RFC 7009), then removes the tokens. */
  revoke(signal?: Signal): Promise<void>;
}
