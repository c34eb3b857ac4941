import { ApiError, type ErrorCode } from '../http/errors.ts';

export type WriteRefusal =
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'invalid'; readonly detail: string }
  | { readonly kind: 'unknown_reference'; readonly detail: string }
  | { readonly kind: 'conflict'; readonly detail: string }
  | { readonly kind: 'forbidden_transition'; readonly from: string; readonly to: string }
  | { readonly kind: 'shop_full'; readonly unitsMax: number }
  | { readonly kind: 'no_purchase' }
  | { readonly kind: 'not_found' };

/** A refusal in a response or in a line of a batch. */
export interface WireRefusal {
  readonly status: number;
  readonly error: ErrorCode;
  readonly detail: string;
}

/** Maps every refusal to its status, code and sentence (decision 0009). `noun` names the object. */
export function toWireRefusal(refusal: WriteRefusal, noun: string): WireRefusal {
  switch (refusal.kind) {
    case 'incomplete': {
      const detail = `A new ${noun} must have ${refusal.missing.join(', ')}.`;
      return { status: 400, error: 'invalid_request', detail };
    }
    case 'invalid':
      return { status: 400, error: 'invalid_request', detail: toSentence(refusal.detail) };
    case 'unknown_reference':
      return { status: 422, error: 'invalid_request', detail: toSentence(refusal.detail) };
    case 'conflict':
      return { status: 409, error: 'conflict', detail: toSentence(refusal.detail) };
    case 'forbidden_transition': {
      const detail = `The status of a ${noun} cannot change from ${refusal.from} to ${refusal.to}.`;
      return { status: 409, error: 'conflict', detail };
    }
    case 'shop_full': {
      const detail = `The shop has ${refusal.unitsMax} units, the most that the operator allows.`;
      return { status: 409, error: 'conflict', detail };
    }
    case 'no_purchase':
      return {
        status: 404,
        error: 'not_found',
        detail: `The ${noun} has no purchase with this id.`,
      };
    case 'not_found':
      return { status: 404, error: 'not_found', detail: `The shop has no ${noun} with this id.` };
  }
}

export function parseErrorToWireRefusal(reading: {
  readonly problem: string;
  readonly isReference: boolean;
}): WireRefusal {
  const status = reading.isReference ? 422 : 400;
  return { status, error: 'invalid_request', detail: reading.problem };
}

export function toApiError({ status, error, detail }: WireRefusal): ApiError {
  return new ApiError(status, error, { detail });
}

/** The sentences for errors without a specific `detail`. */
const DETAILS: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: 'The request could not be parsed.',
  invalid_token: 'A Shop API key is required: Authorization: Bearer csk_….',
  not_found: 'There is no endpoint at this URL.',
  method_not_allowed: 'This URL does not support the method. See the Allow header.',
  payload_too_large: 'The body is too large for this endpoint.',
  unsupported_media_type: 'This endpoint does not accept the type of the body.',
  rate_limited: 'Too many requests. Retry after the seconds in Retry-After.',
  server_error: 'The service failed. Quote X-Request-Id when you contact the operator.',
  temporarily_unavailable:
    'The service is busy. Retry after the seconds in Retry-After; every write can be repeated safely.',
};

/** Renders the code and a sentence for the developer (decision 0009). */
export function renderShopError(error: ApiError): { readonly type: string; readonly body: string } {
  const detail = error.detail ?? DETAILS[error.code] ?? error.code;
  const body = JSON.stringify({ error: error.code, detail: toSentence(detail) });
  return { type: 'application/json; charset=utf-8', body };
}

function toSentence(text: string): string {
  return /[.!…]$/.test(text) ? text : `${text}.`;
}
