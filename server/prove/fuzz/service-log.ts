import { appendFileSync } from 'node:fs';
import type { Journal } from './journal.ts';

/**
 * Reads the service's log as it is written. An error in the log is a failure, even if the client
 * got a correct answer.
 */
export class ServiceLog {
  readonly file: string;
  readonly #journal: Journal;
  readonly #kinds = new Map<string, number>();
  #rest = '';

  constructor(file: string, journal: Journal) {
    this.file = file;
    this.#journal = journal;
  }

  take(part: string): void {
    appendFileSync(this.file, part);
    const lines = `${this.#rest}${part}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#read(line);
  }

  #read(line: string): void {
    const level = /"level":"(\w+)"/.exec(line)?.[1] ?? 'text';
    const message = /"msg":"([^"]*)"/.exec(line)?.[1] ?? line.slice(0, 200);
    const reason = /"reason":"([^"]{0,120})/.exec(line)?.[1] ?? '';
    const kind = level === 'text' ? level : `${level} (${message} ${reason})`;
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    const isTrace = /\\n +at |^ +at |Warning:/.test(line);
    if (level !== 'error' && level !== 'fatal' && !isTrace) return;
    const requestId = /"requestId":"(\w+)"/.exec(line)?.[1] ?? '';
    const error = /"message":"([^"]{0,80})/.exec(line)?.[1] ?? '';
    // The service may log a line before the client has received the answer.
    setTimeout(() => {
      const request = this.#journal.findRequest(requestId);
      this.#journal.failWith(`log: ${message}: ${error}`, `${line.slice(0, 4_000)}\n  ${request}`);
    }, 1_000);
  }

  get summary(): string {
    return [...this.#kinds].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing';
  }
}
