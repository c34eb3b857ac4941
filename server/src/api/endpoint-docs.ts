import type { COMPONENTS } from './schemas.ts';

export interface ParameterDocs {
  readonly name: string;
  readonly description: string;
  /** Missing for optional parameters. */
  readonly required?: true;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ResponseDocs {
  readonly description: string;
  /** The component that describes the JSON body. */
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
  /** The component that describes the JSON body; missing if no body is required. */
  readonly requestBody?: keyof typeof COMPONENTS;
  /** Path parameters; `id` is a UUID by default. */
  readonly path?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Responses by status, including 304. */
  readonly responses: Readonly<Record<number, ResponseDocs>>;
  /** The refusals that only this endpoint has. `text` replaces the general text of the status. */
  readonly refusals: readonly (readonly [status: number, code: string, text?: string])[];
}
