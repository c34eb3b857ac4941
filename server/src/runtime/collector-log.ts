import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { describeError } from '../base/describe-error.ts';
import type { Log } from '../base/log.ts';

/** Logs once that the collector fails and once that it works again. Spans in between are lost. */
export class CollectorLog implements SpanExporter {
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
