/** A request on its way to the service, or a notice on its way to its receiver. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

/** An answer on its way back. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

/** A header that came several times has a list. */
export type WireHeaders = Readonly<Record<string, string | readonly string[]>>;

/** What a break knows of the exchange that it spoils. */
export interface Call {
  /** As the caller has sent it. */
  readonly request: WireRequest;
  /** What the break remembers; empty when it begins. */
  readonly memory: Map<string, unknown>;
  /** Asks the service for something else. */
  readonly forward: (request: WireRequest) => Promise<WireAnswer>;
}

/** One rule that a server breaks. */
export interface Break {
  readonly name: string;
  /** The clause whose rule it breaks. */
  readonly clause: string;
  /** What the wrong server does, as a sentence without its subject. */
  readonly wrong: string;
  /** Ids of the tests that see it: each of them is red under this break and green without. */
  readonly caughtBy: readonly string[];
  /** Changes a request, or answers it without asking the service. */
  readonly request?: (call: Call) => WireRequest | WireAnswer;
  /** Changes an answer. */
  readonly answer?: (answer: WireAnswer, call: Call) => WireAnswer | Promise<WireAnswer>;
  /** Changes a notice. `memory` holds the webhook's newest `secret`. */
  readonly notice?: (notice: WireRequest, memory: ReadonlyMap<string, unknown>) => WireRequest;
}
