import { CardportError, type ErrorFacts } from './errors.ts';

/** The service could not be reached, or the connection broke before the response was complete. */
export class ConnectionFailedError extends CardportError {
  override name = 'ConnectionFailedError';
  constructor(facts: ErrorFacts = {}) {
    super('connection_failed', facts);
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** No complete response came within `timeoutMs`. */
export class AnswerTimeoutError extends CardportError {
  override name = 'AnswerTimeoutError';
  constructor(facts: ErrorFacts = {}) {
    super('answer_timeout', facts);
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** The response is not JSON, lacks a field, or is too large. Often it is a proxy's error page. */
export class MalformedAnswerError extends CardportError {
  override name = 'MalformedAnswerError';
  constructor(facts: ErrorFacts = {}) {
    super('malformed_answer', facts);
  }
}

/** There are no tokens, or their approval has ended. A member of the shop must authorize again. */
export class ApprovalNeededError extends CardportError {
  override name = 'ApprovalNeededError';
  constructor(facts: ErrorFacts = {}) {
    super('approval_needed', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** The callback does not belong to this browser's authorization request. Begin a new one. */
export class StateMismatchError extends CardportError {
  override name = 'StateMismatchError';
  constructor(facts: ErrorFacts = {}) {
    super('state_mismatch', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** The service's feed repeats itself or sends only empty pages. Pages already read are stored. */
export class FeedStuckError extends CardportError {
  override name = 'FeedStuckError';
  constructor(facts: ErrorFacts = {}) {
    super('feed_stuck', facts);
  }
}

/**
 * A function of the sync target violates its contract; the message names the function. The pages
 * read so far are stored.
 */
export class SyncTargetError extends CardportError {
  override name = 'SyncTargetError';
  constructor(facts: ErrorFacts = {}) {
    super('sync_target', facts);
  }
}
