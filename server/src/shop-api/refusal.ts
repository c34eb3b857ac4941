import { ApiError, type ErrorCode } from '../http/errors.ts';

/** Why the domain refuses a write. */
export type WriteRefusal =
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'invalid'; readonly detail: string }
  | { readonly kind: 'unknown_reference'; readonly detail: string }
  | { readonly kind: 'conflict'; readonly detail: string }
  | { readonly kind: 'forbidden_transition'; readonly from: string; readonly to: string }
  | { readonly kind: 'no_purchase' }
  | { readonly kind: 'not_found' };

/** A refusal in the API's form, for a response or for a line of a batch. */
export interface WireRefusal {
  readonly status: number;
  readonly error: ErrorCode;
  readonly detail: string;
}

/**
 * The only table from refusals to status and code (decision 0009). `noun` names the written object.
 */
export function wireRefusalOf(refusal: WriteRefusal, noun: string): WireRefusal {
  switch (refusal.kind) {
    case 'incomplete': {
      const detail = `A new ${noun} needs ${refusal.missing.join(', ')}.`;
      return { status: 400, error: 'invalid_request', detail };
    }
    case 'invalid':
      return { status: 400, error: 'invalid_request', detail: toSentence(refusal.detail) };
    case 'unknown_reference':
      return { status: 422, error: 'invalid_request', detail: toSentence(refusal.detail) };
    case 'conflict':
      return { status: 409, error: 'conflict', detail: toSentence(refusal.detail) };
    case 'forbidden_transition': {
      const detail = `A ${noun} that is ${refusal.from} cannot become ${refusal.to}.`;
      return { status: 409, error: 'conflict', detail };
    }
    case 'no_purchase':
      return {
        status: 404,
        error: 'not_found',
        detail: `The ${noun} has no purchase of this id.`,
      };
    case 'not_found':
      return { status: 404, error: 'not_found', detail: `The shop has no ${noun} of this id.` };
  }
}

/** Converts a parsing error to the API's form. */
export function wireRefusalOfReading(reading: {
  readonly fault: string;
  readonly isReference: boolean;
}): WireRefusal {
  const status = reading.isReference ? 422 : 400;
  return { status, error: 'invalid_request', detail: reading.fault };
}

export function toApiError({ status, error, detail }: WireRefusal): ApiError {
  return new ApiError(status, error, { detail });
}

/** Default texts by code, for the app's developer. */
const DETAILS: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: 'The request could not be read.',
  invalid_token: 'A key of the shop is needed: Authorization: Bearer csk_….',
  not_found: 'There is nothing at this address.',
  method_not_allowed: 'This address has other methods: see Allow.',
  payload_too_large: 'The body is larger than this address takes.',
  unsupported_media_type: 'The body is of a type that this address does not read.',
  rate_limited: 'Too many requests: see Retry-After.',
  server_error: 'The service failed. Nothing more is known here; the log knows X-Request-Id.',
  temporarily_unavailable: 'The service is busy: see Retry-After. Every write may be repeated.',
};

/** Renders an error of the Shop API: the code and a sentence for the developer (decision 0009). */
export function renderShopError(error: ApiError): { readonly type: string; readonly body: string } {
  const detail = error.detail ?? DETAILS[error.code] ?? error.code;
  const body = JSON.stringify({ error: error.code, detail: toSentence(detail) });
  return { type: 'application/json; charset=utf-8', body };
}

function toSentence(text: string): string {
  return /[.!…]$/.test(text) ? text : `${text}.`;
}
