import type { Access } from '../approvals/access.ts';
import { READ_SCOPES } from '../apps/scope.ts';
import { ApiError } from '../http/errors.ts';
import type { Endpoint, ReadScope } from './endpoint.ts';

/** A check that runs after the token has been looked up. Returns null if the caller passes. */
export type AccessCheck = (endpoint: Endpoint, access: Access) => ApiError | null;

/**
 * The 403s in the order of decision 0003: after the token (401) and the rate limit (429), before
 * the body (413, 415), the parameters (400, 422) and the object (404). Access needs an active
 * connection (spec 5.3, step 5) and the member's permission (spec 5.5).
 */
export const CHECKS: readonly AccessCheck[] = [
  checkAppIsEnabled,
  checkConnectionIsNotRevoked,
  checkMemberIsActive,
  checkConnectionIsOpen,
  checkScope,
  checkPermission,
];

export function checkAccess(endpoint: Endpoint, access: Access): ApiError | null {
  for (const check of CHECKS) {
    const refusal = check(endpoint, access);
    if (refusal !== null) return refusal;
  }
  return null;
}

function checkAppIsEnabled(_endpoint: Endpoint, access: Access): ApiError | null {
  // A removed app cannot be enabled again, so it gets `connection_revoked` below.
  if (access.app.isEnabled || access.app.isRemoved) return null;
  return new ApiError(403, 'client_disabled');
}

function checkConnectionIsNotRevoked(_endpoint: Endpoint, access: Access): ApiError | null {
  return access.app.isRemoved || access.isApprovalEnded ? connectionRevoked() : null;
}

function checkMemberIsActive(_endpoint: Endpoint, access: Access): ApiError | null {
  return access.member?.isActive === true ? null : new ApiError(403, 'forbidden');
}

function checkConnectionIsOpen(endpoint: Endpoint, access: Access): ApiError | null {
  if (!endpoint.needsConnection || access.connection !== null) return null;
  return new ApiError(403, 'forbidden');
}

function checkScope(endpoint: Endpoint, access: Access): ApiError | null {
  for (const scope of endpoint.scopes) {
    if (access.scopes.includes(scope)) return null;
  }
  const scope = missingScope(endpoint, access);
  return new ApiError(403, 'insufficient_scope', {
    scope,
    // RFC 6750 §3.1
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
}

/** Prefers a scope that the app may request, so that a new approval can grant it. */
function missingScope(endpoint: Endpoint, access: Access): ReadScope {
  const [first, ...others] = endpoint.scopes;
  if (others.length === 0) return first;
  return READ_SCOPES.find((scope) => access.app.scopes.includes(scope)) ?? 'purchase-boosts:read';
}

function checkPermission(endpoint: Endpoint, access: Access): ApiError | null {
  const { permission } = endpoint;
  if (permission === null || access.member?.permissions.includes(permission) === true) return null;
  return new ApiError(403, 'forbidden');
}

/** spec 3.1: only a new approval can reconnect. */
export function connectionRevoked(): ApiError {
  return new ApiError(403, 'connection_revoked');
}
