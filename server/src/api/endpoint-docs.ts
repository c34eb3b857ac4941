import type { COMPONENTS } from './schemas.ts';

/** A query parameter or request header in the OpenAPI document. */
export interface ParameterDocs {
  readonly name: string;
  readonly description: string;
  /** Missing for optional parameters. */
  readonly required?: true;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A successful response in the OpenAPI document. */
export interface ResponseDocs {
  readonly description: string;
  /** The component of the JSON body, or null without a body. */
  readonly schema: keyof typeof COMPONENTS | null;
  /** The content types of a body that is not JSON. */
  readonly contentTypes?: readonly string[];
}

/** The part of the OpenAPI document that does not follow from an endpoint's checks. */
export interface EndpointDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly query: readonly ParameterDocs[];
  /** Request headers that only this endpoint uses. */
  readonly headers?: readonly ParameterDocs[];
  /** The component of the JSON request body; missing if no body is needed. */
  readonly requestBody?: keyof typeof COMPONENTS;
  /** Schemas of path parameters; `id` is a UUID by default. */
  readonly path?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Successful responses, including 304. */
  readonly responses: Readonly<Record<number, ResponseDocs>>;
  /**
   * Refusals specific to this endpoint: status, code, and a text if that of the status says too
   * little.
   */
  readonly refusals: readonly (readonly [status: number, code: string, text?: string])[];
}
