export interface RejectedLine {
  readonly line: number;
  /** A code from the error table of the API. */
  readonly error: string;
  readonly detail: string;
}

/** The result of an import. An unchanged line counts as accepted. */
export interface ImportResult {
  readonly accepted: number;
  readonly rejected: readonly RejectedLine[];
  readonly rejectedCount: number;
}

/** In a file of the wrong type, every line is rejected; storing all would fill the memory. */
export const REPORTED_LINES_MAX = 1_000;

export class ImportReport {
  #accepted = 0;
  #rejectedCount = 0;
  readonly #rejected: RejectedLine[] = [];
  readonly #reportedMax: number;

  constructor(reportedMax = REPORTED_LINES_MAX) {
    this.#reportedMax = reportedMax;
  }

  accept(lines = 1): void {
    this.#accepted += lines;
  }

  reject(line: number, error: string, detail: string): void {
    this.#rejectedCount += 1;
    if (this.#rejected.length < this.#reportedMax) this.#rejected.push({ line, error, detail });
  }

  result(): ImportResult {
    return {
      accepted: this.#accepted,
      rejected: this.#rejected.toSorted((a, b) => a.line - b.line),
      rejectedCount: this.#rejectedCount,
    };
  }
}
