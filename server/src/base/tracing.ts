/** The ids of W3C Trace Context: 32 and 16 hexadecimal digits. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanOptions {
  readonly kind: 'server' | 'client' | 'internal';
  /** Names must come from a small fixed set, because tracing tools group spans by name. */
  readonly name: string;
  readonly attributes: SpanAttributes;
}

export interface Span extends TraceIds {
  /** False if the trace is not sampled: its ids are in the log, but its spans are not sent. */
  readonly isRecording: boolean;
  /** `error` is an `error.type` or null. Messages are omitted, because they can quote values. */
  end(error: string | null, attributes?: SpanAttributes): void;
}

/** Creates OpenTelemetry spans. Code that takes `Tracing | null` gets null if tracing is off. */
export interface Tracing {
  readonly current: Span | null;
  /** Starts a child of `current`, or the first span of a trace. */
  startSpan(options: SpanOptions): Span;
  /** Starts a span in the caller's trace if `traceparent` is valid (W3C Trace Context). */
  startServerSpan(options: SpanOptions, traceparent: string | undefined): Span;
  run<T>(span: Span, work: () => T): T;
}

export interface OpenedTracing extends Tracing {
  /** Sends the buffered spans. Takes at most `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}
