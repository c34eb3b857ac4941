import type { Log } from '../base/log.ts';

/** While it lasts it is told of again: often enough for who looks at the last minutes of a log, and no flood. */
const TOLD_EVERY_MS = 60_000;

/** Tells that the database is away for the delivery: at the begin, every minute while it lasts, and how long it was. */
export class Outage {
  readonly #log: Log;
  readonly #nowMs: () => number;
  #sinceMs: number | null = null;
  #toldAtMs = 0;

  /** `nowMs` counts milliseconds from anywhere: `performance.now`. */
  constructor(log: Log, nowMs: () => number = () => performance.now()) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** A look or a claim has failed. */
  failed(error: unknown): void {
    const nowMs = this.#nowMs();
    const isFirst = this.#sinceMs === null;
    this.#sinceMs ??= nowMs;
    if (!isFirst && nowMs - this.#toldAtMs < TOLD_EVERY_MS) return;
    this.#toldAtMs = nowMs;
    const seconds = wholeSeconds(nowMs - this.#sinceMs);
    this.#log.warn({ error, seconds }, 'notices of webhooks cannot be claimed');
  }

  /** Looks and claims succeed. */
  passed(): void {
    if (this.#sinceMs === null) return;
    const seconds = wholeSeconds(this.#nowMs() - this.#sinceMs);
    this.#sinceMs = null;
    this.#log.info({ seconds }, 'notices of webhooks can be claimed again');
  }
}

function wholeSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 1_000);
}
