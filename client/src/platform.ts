// What the SDK takes from its platform, as types of its own: the published declarations name no global but
// ECMAScript's, so that they check without the DOM library and without @types/node (decision 0140).

/** An `AbortSignal`, as far as the SDK uses one. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The platform's own `AbortSignal` where its types are known, else {@link Signal}. */
export type PlatformSignal = typeof globalThis extends {
  readonly AbortSignal: { readonly prototype: infer Own };
}
  ? Own
  : Signal;

/** Headers of an answer: a `Headers` has this shape. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

/** A stream of bytes: a `ReadableStream` has this shape. */
export interface ByteStream {
  getReader(): ByteReader;
}

/** What reads such a stream. */
export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** What the SDK asks of {@link Fetch}: a `RequestInit`. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Redirects are never followed: a token goes to nobody but the service. */
  readonly redirect: 'manual';
  readonly signal: PlatformSignal;
}

/** What {@link Fetch} answers: a `Response` has this shape. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: ByteStream | null;
}

/** The platform's `fetch`, or what stands in for it: a proxy's, a test's. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;
