import type { COMPONENTS } from './schemas.ts';

/** A query parameter in the OpenAPI document. */
export interface ParameterDocs {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What the OpenAPI document says of an endpoint beyond what its checks tell. */
export interface EndpointDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly query: readonly ParameterDocs[];
  /** Successful answers: the component of the body, or null when there is none. */
  readonly answers: Readonly<
    Record<number, { readonly text: string; readonly schema: keyof typeof COMPONENTS | null }>
  >;
  /** Refusals of this endpoint's own: status and code. */
  readonly refusals: readonly (readonly [number, string])[];
}
