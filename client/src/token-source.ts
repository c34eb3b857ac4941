import type { ConnectionRevokedError } from './errors.ts';
import type { Signal } from './platform.ts';

/** Where the endpoints of a shop take their access token from. */
export interface TokenSource {
  /** A token that is good for now; refreshed shortly before it ends, once for all who ask meanwhile. */
  accessToken(signal?: Signal): Promise<string>;
  /**
   * The service has answered 401 `invalid_token` to this token: another one. It is refreshed once, unless another token
   * is kept already. Throws {@link ApprovalNeededError} when nothing more can be done.
   */
  refused(accessToken: string, signal?: Signal): Promise<string>;
  /**
   * The service has answered 403 `connection_revoked` to this token: the approval is over. From now on it is not given out
   * any more; {@link ApprovalNeededError} is thrown at once instead, until other tokens are kept.
   */
  revoked(accessToken: string, error: ConnectionRevokedError): void;
}

/** A source that can also end what it holds. */
export interface ShopTokens extends TokenSource {
  /** After an {@link ApprovalNeededError}: whether these tokens have left nothing at the service that they could end. */
  isOver(): Promise<boolean>;
  /** Forgets the tokens; asks the service nothing. */
  remove(): Promise<void>;
  /** Has the service end the approval (RFC 7009), then forgets the tokens. */
  revoke(signal?: Signal): Promise<void>;
}
