import { relative } from 'node:path';
import type { TestsStream } from 'node:test';

interface TestLocation {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

/** Tracks the tests of a run: failures, the duration of each file, and tests that hang. */
export class TestTracker {
  /** The duration of each file, in seconds. */
  readonly seconds = new Map<string, number>();
  /** The test files of each process. The key is the module that the process runs. */
  readonly #processes: ReadonlyMap<string, readonly string[]>;
  /** When each running process last reported something. */
  readonly #lastReportMs = new Map<string, number>();
  readonly #waiting = new Map<string, TestLocation>();
  #failures = 0;

  /** @param processes the test files of each process, by the module that the process runs */
  constructor(events: TestsStream, processes: ReadonlyMap<string, readonly string[]>) {
    this.#processes = processes;
    events.on('test:enqueue', (test) => {
      this.#recordReport(test);
      if (test.type === 'test' && !processes.has(test.name)) this.#waiting.set(keyOf(test), test);
    });
    events.on('test:dequeue', (test) => {
      if (processes.has(test.name)) this.#lastReportMs.set(test.name, Date.now());
    });
    events.on('test:complete', (test) => {
      this.#recordReport(test);
      this.#waiting.delete(keyOf(test));
      if (processes.has(test.name)) this.#lastReportMs.delete(test.name);
      else if (test.nesting === 0) this.#addSeconds(fileOf(test), test.details.duration_ms / 1_000);
    });
    events.on('test:fail', () => this.#failures++);
  }

  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** Names the unfinished tests of silent processes, or their files if no test was reported. */
  findHanging(silentMs: number): readonly string[] {
    const silent = [...this.#lastReportMs].filter(([, at]) => at < Date.now() - silentMs);
    const files = silent.flatMap(([module]) => this.#processes.get(module) ?? []);
    const tests = [...this.#waiting].filter(([, test]) => files.includes(fileOf(test)));
    return tests.length > 0 ? tests.map(([key]) => key) : files;
  }

  #recordReport(test: TestLocation): void {
    const file = fileOf(test);
    for (const [module, files] of this.#processes) {
      if (files.includes(file) && this.#lastReportMs.has(module)) {
        this.#lastReportMs.set(module, Date.now());
      }
    }
  }

  #addSeconds(file: string, seconds: number): void {
    this.seconds.set(file, (this.seconds.get(file) ?? 0) + seconds);
  }
}

function fileOf(test: TestLocation): string {
  return relative(process.cwd(), test.file ?? '');
}

function keyOf(test: TestLocation): string {
  return `${fileOf(test)}:${test.line} ${test.name}`;
}
