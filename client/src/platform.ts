// The SDK's own types for what it uses of its platform. The published declarations use only
// ECMAScript globals, so they compile without the DOM library and without @types/node (decision
// 0140).

/** The parts of an `AbortSignal` that the SDK uses. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The platform's `AbortSignal` where its types are available, otherwise {@link Signal}. */
export type PlatformSignal = typeof globalThis extends {
  readonly AbortSignal: { readonly prototype: infer Own };
}
  ? Own
  : Signal;

/** Response headers. A `Headers` has this shape. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

/** A byte stream. A `ReadableStream` has this shape. */
export interface ByteStream {
  getReader(): ByteReader;
}

/** Reads a {@link ByteStream}. */
export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** The options that the SDK passes to {@link Fetch}. A `RequestInit` has this shape. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Redirects are never followed, so a token goes only to the service. */
  readonly redirect: 'manual';
  readonly signal: PlatformSignal;
}

/** The result of {@link Fetch}. A `Response` has this shape. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: ByteStream | null;
}

/** The platform's `fetch`, or a replacement for a proxy or a test. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;
