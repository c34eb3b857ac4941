// The SDK's own types for the platform features that it uses. The published declarations therefore
// compile without the DOM library and without @types/node (decision 0140).

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

/** Response headers. A platform `Headers` object satisfies this interface. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

/** A byte stream. A platform `ReadableStream` satisfies this interface. */
export interface ByteStream {
  getReader(): ByteReader;
}

export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** The options that the SDK passes to {@link Fetch}. `RequestInit` accepts them. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Redirects are never followed, so that a token is sent only to the service. */
  readonly redirect: 'manual';
  readonly signal: PlatformSignal;
}

/** The result of {@link Fetch}. A platform `Response` satisfies this interface. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: ByteStream | null;
}

/** The platform's `fetch`, or a replacement for a proxy or a test. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;
