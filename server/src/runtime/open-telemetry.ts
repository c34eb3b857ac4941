import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Context,
  diag,
  DiagLogLevel,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { endsWithin } from '../base/ends-within.ts';
import type { Log } from '../base/log.ts';
import type { OpenedTracing, Span, SpanAttributes, SpanOptions } from '../base/tracing.ts';
import { VERSION } from '../base/version.ts';
import type { TracingSettings } from '../config/tracing-settings.ts';
import { describeError } from '../base/describe-error.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** The process exits this long after `close` has timed out. */
const EXIT_AFTER_MS = 500;

/** @see https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.{0,256})?$/;

/** The packages are optional, so only `openTracing` imports this file. */
export class OpenTelemetryTracing implements OpenedTracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #readsTraceparent: boolean;
  readonly #collector: CollectorLog;
  readonly #running = new AsyncLocalStorage<OpenSpan>();

  constructor(settings: TracingSettings, log: Log, warn: (sentence: string) => void) {
    this.#readsTraceparent = settings.readsTraceparent;
    // Report invalid environment variables, which are read in the following constructors.
    // Afterwards the packages would also report each failed batch.
    const ignore = (): void => undefined;
    const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
    diag.setLogger(logger, DiagLogLevel.WARN);
    this.#collector = new CollectorLog(new OTLPTraceExporter(), log);
    this.#provider = new TracerProvider({
      resource: describeProcess(),
      sampler: samplerOf(settings),
      spanProcessors: [new BatchSpanProcessor({ exporter: this.#collector, ...settings.batch })],
    });
    diag.disable();
    this.#tracer = this.#provider.getTracer('cardport', VERSION);
  }

  get current(): Span | null {
    return this.#running.getStore() ?? null;
  }

  startSpan(options: SpanOptions): Span {
    const parent = this.#running.getStore();
    const isRoot = parent === undefined;
    return this.#start(options, isRoot ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent.span));
  }

  startServerSpan(options: SpanOptions, traceparent: string | undefined): Span {
    const caller = this.#readsTraceparent ? readCaller(traceparent ?? '') : null;
    const isRoot = caller === null;
    return this.#start(options, isRoot ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller));
  }

  run<T>(span: Span, work: () => T): T {
    if (!(span instanceof OpenSpan)) {
      throw new TypeError('the span was not created by this tracing');
    }
    return this.#running.run(span, work);
  }

  async close(deadlineMs: number): Promise<void> {
    // Do not wait for a collector that does not respond; its spans are lost.
    const waitMs = this.#collector.isAway ? 0 : deadlineMs;
    if (await endsWithin(this.#provider.shutdown(), waitMs)) return;
    // The exporter cannot be canceled. Its request or retry would keep the process alive.
    setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
  }

  #start({ kind, name, attributes }: SpanOptions, context: Context): Span {
    return new OpenSpan(this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, context));
  }
}

class OpenSpan implements Span {
  readonly span: SdkSpan;
  readonly traceId: string;
  readonly spanId: string;

  constructor(span: SdkSpan) {
    this.span = span;
    ({ traceId: this.traceId, spanId: this.spanId } = span.spanContext());
  }

  get isRecording(): boolean {
    return this.span.isRecording();
  }

  end(error: string | null, attributes: SpanAttributes = {}): void {
    this.span.setAttributes(attributes);
    if (error !== null) {
      this.span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

function readCaller(traceparent: string): SpanContext | null {
  const match = TRACEPARENT.exec(traceparent.trim());
  if (match === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', rest] = match;
  // A later version of the header may have more fields, but version 00 must not.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const caller = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(caller) ? caller : null;
}

function describeProcess(): Resource {
  const own = resourceFromAttributes({
    'service.name': 'cardport',
    'service.version': VERSION,
    'service.instance.id': randomUUID(),
  });
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource().merge(own).merge(detectResources({ detectors }));
}

function samplerOf({ ratio, followsCaller }: TracingSettings): Sampler {
  const root = ratio === 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
  return followsCaller ? new ParentBasedSampler({ root }) : root;
}

/** Logs once that the collector fails and once that it works again. Spans in between are lost. */
class CollectorLog implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Log;
  #awaySinceMs: number | null = null;
  #lost = 0;

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter;
    this.#log = log;
  }

  get isAway(): boolean {
    return this.#awaySinceMs !== null;
  }

  export: SpanExporter['export'] = (spans, onResult) => {
    this.#exporter.export(spans, (result) => {
      if (result.error === undefined) this.#recordSuccess();
      else this.#recordFailure(spans.length, result.error);
      onResult(result);
    });
  };

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  #recordFailure(spans: number, error: unknown): void {
    this.#lost += spans;
    if (this.#awaySinceMs !== null) return;
    this.#awaySinceMs = performance.now();
    this.#log.warn({ reason: describeError(error) }, 'traces cannot be sent to the collector');
  }

  #recordSuccess(): void {
    if (this.#awaySinceMs === null) return;
    const seconds = Math.round((performance.now() - this.#awaySinceMs) / 1_000);
    this.#log.warn({ seconds, lostSpans: this.#lost }, 'traces are sent to the collector again');
    this.#awaySinceMs = null;
    this.#lost = 0;
  }
}
