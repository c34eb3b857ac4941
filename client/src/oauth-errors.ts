import { CardportError, type ErrorFacts } from './errors.ts';

/** RFC 6749: the code or refresh token is unknown, used, expired or issued to another app. */
export class InvalidGrantError extends CardportError {
  override name = 'InvalidGrantError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_grant', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** RFC 6749: the client id or secret is wrong, or the app was deleted. The SDK keeps the tokens. */
export class InvalidClientError extends CardportError {
  override name = 'InvalidClientError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_client', facts);
  }
}

/** RFC 6749: the shop has disabled the app. Keep the tokens: they work again once it is enabled. */
export class UnauthorizedClientError extends CardportError {
  override name = 'UnauthorizedClientError';
  constructor(facts: ErrorFacts = {}) {
    super('unauthorized_client', facts);
  }
}

/** RFC 6749: the token endpoint does not support the grant type. */
export class UnsupportedGrantTypeError extends CardportError {
  override name = 'UnsupportedGrantTypeError';
  constructor(facts: ErrorFacts = {}) {
    super('unsupported_grant_type', facts);
  }
}

/** RFC 6749: the authorization endpoint does not support the response type. */
export class UnsupportedResponseTypeError extends CardportError {
  override name = 'UnsupportedResponseTypeError';
  constructor(facts: ErrorFacts = {}) {
    super('unsupported_response_type', facts);
  }
}

/** RFC 6749: a scope is unknown, or the shop did not allow it for this app. */
export class InvalidScopeError extends CardportError {
  override name = 'InvalidScopeError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_scope', facts);
  }
}

/** RFC 8707: `resource` is not the address of this Partner API; check `baseUrl`. */
export class InvalidTargetError extends CardportError {
  override name = 'InvalidTargetError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_target', facts);
  }
}

/** OpenID Connect: the member must sign in, but `prompt=none` was sent. Begin again without it. */
export class LoginRequiredError extends CardportError {
  override name = 'LoginRequiredError';
  constructor(facts: ErrorFacts = {}) {
    super('login_required', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** RFC 6749: the member denied the authorization. */
export class AccessDeniedError extends CardportError {
  override name = 'AccessDeniedError';
  constructor(facts: ErrorFacts = {}) {
    super('access_denied', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}
