/** As in W3C Trace Context: 32 and 16 hexadecimal digits. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanStart {
  readonly kind: 'server' | 'client' | 'internal';
  /** One of a fixed set, like the attributes that group spans. */
  readonly name: string;
  readonly attributes: SpanAttributes;
}

export interface Span extends TraceIds {
  /** False if the trace is not sampled: its ids are in the log, but its spans are not sent. */
  readonly isRecording: boolean;
  /**
   * `error` is the `error.type` of the conventions, or null. Messages of errors are never recorded,
   * because they can quote values.
   */
  end(error: string | null, attributes?: SpanAttributes): void;
}

/** Creates the spans of OpenTelemetry. Where tracing is off, there is no such object. */
export interface Tracing {
  /** The span that the running code belongs to. */
  readonly current: Span | null;
  /** A child of `current`, or the first span of a trace. */
  startSpan(start: SpanStart): Span;
  /** Continues the caller's trace if `traceparent` is valid (W3C Trace Context). */
  startServerSpan(start: SpanStart, traceparent: string | undefined): Span;
  /** Runs `work` and everything that it starts with `span` as `current`. */
  run<T>(span: Span, work: () => T): T;
}

export interface OpenedTracing extends Tracing {
  /** Sends the spans that wait, for at most `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}
