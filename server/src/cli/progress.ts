import { Transform, type Readable } from 'node:stream';

/** The minimum interval between two redraws of the bar, so that it does not flicker. */
const STEP_MS = 100;
const BAR_CELLS = 30;

/** Where the bar is drawn: standard error, or a substitute in tests. */
export interface Terminal {
  readonly isTTY: boolean;
  write(text: string): unknown;
}

/** A command that takes less time prints no progress lines, which would only clutter a log. */
const LINES_AFTER_MS = 2_000;
const LINE_PERCENT = 10;

/**
 * Shows how much of a command's input has been read: a bar on a terminal, elsewhere a line for each
 * 10 % of a known size.
 */
export class Progress {
  readonly #bytesTotal: number | null;
  readonly #terminal: Terminal;
  #readBytes = 0;
  #drawnAtMs = 0;
  #printedPercent = 0;
  readonly #now: () => number;
  readonly #startedAtMs: number;

  /** @param bytesTotal null for an unknown size; with 0 nothing is shown */
  constructor(
    bytesTotal: number | null,
    terminal: Terminal,
    now: () => number = () => performance.now(),
  ) {
    this.#bytesTotal = bytesTotal;
    this.#terminal = terminal;
    this.#now = now;
    this.#startedAtMs = now();
  }

  count(bytes: Readable): Readable {
    if (!this.#isShown) return bytes;
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#readBytes += chunk.length;
        if (!this.#terminal.isTTY) this.#printLine();
        else if (this.#now() - this.#drawnAtMs >= STEP_MS) this.#draw();
        done(null, chunk);
      },
      // Draw the bar once more: the last chunks may have arrived before it could be drawn again.
      flush: (done) => {
        if (this.#terminal.isTTY) this.#draw();
        done();
      },
    });
    bytes.once('error', (error) => counted.destroy(error));
    counted.once('close', () => bytes.destroy());
    bytes.pipe(counted);
    return counted;
  }

  finish(): void {
    if (this.#isShown && this.#terminal.isTTY) this.#terminal.write('\r\u001b[K');
  }

  get #isShown(): boolean {
    return this.#bytesTotal !== 0 && (this.#terminal.isTTY || this.#bytesTotal !== null);
  }

  #printLine(): void {
    if (this.#bytesTotal === null || this.#now() - this.#startedAtMs < LINES_AFTER_MS) return;
    const percent = Math.floor((this.#readBytes / this.#bytesTotal) * 100);
    if (percent < this.#printedPercent + LINE_PERCENT) return;
    this.#printedPercent = percent - (percent % LINE_PERCENT);
    const megabytes = (this.#readBytes / 1_000_000).toFixed(1);
    this.#terminal.write(`${this.#printedPercent} % read (${megabytes} MB)\n`);
  }

  #draw(): void {
    this.#drawnAtMs = this.#now();
    this.#terminal.write(`\r${renderBar(this.#readBytes, this.#bytesTotal)}\u001b[K`);
  }
}

/** One line such as `[#####-----]  50 %  12.3 MB`. */
export function renderBar(readBytes: number, bytesTotal: number | null): string {
  const size = `${(readBytes / 1_000_000).toFixed(1)} MB`;
  if (bytesTotal === null) return size;
  const share = Math.min(1, readBytes / bytesTotal);
  const full = Math.round(share * BAR_CELLS);
  const bar = `${'#'.repeat(full)}${'-'.repeat(BAR_CELLS - full)}`;
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${size}`;
}
