/** A line of a file or of a batch that was not taken, and why. */
export interface RejectedLine {
  readonly line: number;
  /** A code of the error table. */
  readonly error: string;
  readonly detail: string;
}

/** What became of the lines. An unchanged line counts as accepted. */
export interface ImportResult {
  readonly accepted: number;
  /** The first rejected lines, at most `REJECTED_LINES_KEPT_MAX`. */
  readonly rejected: readonly RejectedLine[];
  readonly rejectedCount: number;
}

/** A file of another kind than meant has nothing but bad lines: more of them say nothing new and fill the memory. */
export const REJECTED_LINES_KEPT_MAX = 1_000;

export class ImportReport {
  #accepted = 0;
  #rejectedCount = 0;
  readonly #rejected: RejectedLine[] = [];
  readonly #keptMax: number;

  constructor(keptMax = REJECTED_LINES_KEPT_MAX) {
    this.#keptMax = keptMax;
  }

  accept(lines = 1): void {
    this.#accepted += lines;
  }

  reject(line: number, error: string, detail: string): void {
    this.#rejectedCount += 1;
    if (this.#rejected.length < this.#keptMax) this.#rejected.push({ line, error, detail });
  }

  /** What holds now, the rejected lines in the order of their numbers. */
  result(): ImportResult {
    return {
      accepted: this.#accepted,
      rejected: this.#rejected.toSorted((a, b) => a.line - b.line),
      rejectedCount: this.#rejectedCount,
    };
  }
}
