import { CardportError, type ErrorFacts } from './errors.ts';

/** The service could not be reached, or the connection broke before the whole answer was here. */
export class ConnectionFailedError extends CardportError {
  override name = 'ConnectionFailedError';
  constructor(facts: ErrorFacts = {}) {
    super('connection_failed', facts);
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** No whole answer came within `timeoutMs`. */
export class AnswerTimeoutError extends CardportError {
  override name = 'AnswerTimeoutError';
  constructor(facts: ErrorFacts = {}) {
    super('answer_timeout', facts);
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** The answer is not what the specification says: no JSON, a member missing, too large. Often a proxy's page. */
export class MalformedAnswerError extends CardportError {
  override name = 'MalformedAnswerError';
  constructor(facts: ErrorFacts = {}) {
    super('malformed_answer', facts);
  }
}

/** There are no tokens, or they have ended for good: send a member of the shop through authorization again. */
export class ApprovalNeededError extends CardportError {
  override name = 'ApprovalNeededError';
  constructor(facts: ErrorFacts = {}) {
    super('approval_needed', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** The answer to an authorization request is not that of the request that this browser began. Begin again. */
export class StateMismatchError extends CardportError {
  override name = 'StateMismatchError';
  constructor(facts: ErrorFacts = {}) {
    super('state_mismatch', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** The feed goes round in circles, or sends nothing but empty pages: a fault of the service. What was read is kept. */
export class FeedStuckError extends CardportError {
  override name = 'FeedStuckError';
  constructor(facts: ErrorFacts = {}) {
    super('feed_stuck', facts);
  }
}

/** The functions given to `sync` do not what they promise; the message says which one. What was read is kept. */
export class SyncTargetError extends CardportError {
  override name = 'SyncTargetError';
  constructor(facts: ErrorFacts = {}) {
    super('sync_target', facts);
  }
}
