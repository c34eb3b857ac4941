import type { COMPONENTS } from './schemas.ts';

/** A parameter of the query, or a header of the request, in the OpenAPI document. */
export interface ParameterDocs {
  readonly name: string;
  readonly description: string;
  /** Left out where the parameter may be left out. */
  readonly required?: true;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A successful answer in the OpenAPI document. */
export interface AnswerDocs {
  readonly text: string;
  /** The component of the JSON body, or null when there is none. */
  readonly schema: keyof typeof COMPONENTS | null;
  /** The content types of a body that is no JSON. */
  readonly types?: readonly string[];
}

/** What the OpenAPI document says of an endpoint beyond what its checks tell. */
export interface EndpointDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly query: readonly ParameterDocs[];
  /** Headers of the request that the endpoint minds beyond those that all do. */
  readonly headers?: readonly ParameterDocs[];
  /** The component of the JSON body that the endpoint asks for; left out where no body is needed. */
  readonly requestBody?: keyof typeof COMPONENTS;
  /** Schemas of path parameters; one named `id` is a uuid unless told otherwise. */
  readonly path?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Successful answers, 304 among them. */
  readonly answers: Readonly<Record<number, AnswerDocs>>;
  /** Refusals of this endpoint's own: status, code, and a text where that of the status says too little. */
  readonly refusals: readonly (readonly [status: number, code: string, text?: string])[];
}
