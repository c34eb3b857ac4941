// The entry point of @cardport/client. It works on every platform with fetch, URL and WebCrypto.

// An app
export {
  type BeginOptions,
  type CompletedAuthorization,
  openPartnerApp,
  type PartnerApp,
} from './partner-app.ts';
export type { PartnerAppOptions } from './app-options.ts';
export type { BegunAuthorization, PendingAuthorization } from './authorization.ts';
export { memoryTokenStore, type StoredTokens, type TokenStore } from './tokens.ts';

// A shop
export type { Shop } from './shop.ts';
export type { BoostOptions } from './boosts.ts';
export type { SearchOptions } from './cards.ts';
export type { ChangePageOptions, PhotoOptions } from './inventory.ts';
export type { CallOptions } from './partner-api.ts';

// Syncing its stock
export type { ChangeReader } from './change-reader.ts';
export type {
  KeptCursor,
  StoreTarget,
  SyncOptions,
  SyncResult,
  SyncStep,
  SyncTarget,
  TransactionTarget,
} from './sync-target.ts';
export type { Follower, FollowOptions } from './follower.ts';
export { isForSale } from './types.ts';

// API objects
export type * from './types.ts';

// Errors
export {
  CardportError,
  ClientDisabledError,
  ConflictError,
  ConnectionRevokedError,
  CursorExpiredError,
  type ErrorFacts,
  ForbiddenError,
  InsufficientScopeError,
  InvalidRequestError,
  InvalidTokenError,
  InvalidWebhookUrlError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  ServerError,
  TemporarilyUnavailableError,
  UnknownCodeError,
  UnsupportedMediaTypeError,
} from './errors.ts';
export {
  AccessDeniedError,
  InvalidClientError,
  InvalidGrantError,
  InvalidScopeError,
  InvalidTargetError,
  LoginRequiredError,
  UnauthorizedClientError,
  UnsupportedGrantTypeError,
  UnsupportedResponseTypeError,
} from './oauth-errors.ts';
export {
  AnswerTimeoutError,
  ApprovalNeededError,
  ConnectionFailedError,
  FeedStuckError,
  MalformedAnswerError,
  StateMismatchError,
  SyncTargetError,
} from './local-errors.ts';

// Notices
export {
  type ClaimedNotice,
  type Notice,
  type NoticeSecret,
  type NoticeSecrets,
  type ReceivedNotice,
  verifyNotice,
} from './notice.ts';
export type { NoticeHeaders } from './notice-headers.ts';
export type { NoticeHandlerOptions } from './notice-response.ts';
export { noticeHandler, type NoticeRequest, type PlatformResponse } from './notice-handler.ts';
export { type NoticeRefusal, NoticeRefusedError } from './notice-refused.ts';

// Transport
export { DEFAULT_RETRY, type RetryEvent, type RetryPolicy } from './retry.ts';
export type {
  /** @deprecated Use {@link RetryEvent}. */
  RetryEvent as RetryNews,
} from './retry.ts';
export type {
  AnswerHeaders,
  ByteReader,
  ByteStream,
  Fetch,
  FetchAnswer,
  FetchInit,
  PlatformSignal,
  Signal,
} from './platform.ts';
export { type Scope, SCOPES } from './scope.ts';
export { VERSION } from './version.ts';
