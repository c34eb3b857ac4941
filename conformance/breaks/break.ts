/** A request to the service, or a notice to its receiver. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Header names are in lower case. */
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

/** A response from the service. */
export interface WireResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

/** The value of a header that occurs several times is a list. */
export type WireHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The request and the state that a break can use. */
export interface Call {
  /** The request as the caller sent it. */
  readonly request: WireRequest;
  /** The state of the break. It is empty when the break is activated. */
  readonly memory: Map<string, unknown>;
  /** Sends another request to the service. */
  readonly forward: (request: WireRequest) => Promise<WireResponse>;
}

/** One rule that a wrong server violates. */
export interface Break {
  readonly name: string;
  /** The clause of the violated rule. */
  readonly clause: string;
  /** Completes the sentence "The server …", such as `omits nextCursor`. */
  readonly wrong: string;
  /**
   * Ids of the tests that detect the break: each test fails with the break and passes without it.
   */
  readonly caughtBy: readonly string[];
  /** Changes a request, or answers it without calling the service. */
  readonly request?: (call: Call) => WireRequest | WireResponse;
  /** Changes a response. */
  readonly answer?: (answer: WireResponse, call: Call) => WireResponse | Promise<WireResponse>;
  /** Changes a notice. `memory` contains the webhook's newest `secret`. */
  readonly notice?: (notice: WireRequest, memory: ReadonlyMap<string, unknown>) => WireRequest;
}
