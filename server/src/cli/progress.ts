import { Transform, type Readable } from 'node:stream';

/** Minimum interval between two draws; faster ones would flicker. */
const STEP_MS = 100;
const BAR_CELLS = 30;

/** Where the bar is drawn: standard error, or a substitute in tests. */
export interface Terminal {
  readonly isTTY: boolean;
  write(text: string): unknown;
}

/** Shows on a terminal how much of a command's input has been read. Draws nothing elsewhere. */
export class Progress {
  readonly #bytesTotal: number | null;
  readonly #terminal: Terminal;
  #readBytes = 0;
  #drawnAtMs = 0;

  /** @param bytesTotal null for an unknown size; with 0 nothing is drawn */
  constructor(bytesTotal: number | null, terminal: Terminal) {
    this.#bytesTotal = bytesTotal;
    this.#terminal = terminal;
  }

  count(bytes: Readable): Readable {
    if (!this.#isShown) return bytes;
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#readBytes += chunk.length;
        if (performance.now() - this.#drawnAtMs >= STEP_MS) this.#draw();
        done(null, chunk);
      },
      // Draw the last chunk too; otherwise the bar stops before its end while the command processes
      // it.
      flush: (done) => {
        this.#draw();
        done();
      },
    });
    bytes.once('error', (error) => counted.destroy(error));
    counted.once('close', () => bytes.destroy());
    bytes.pipe(counted);
    return counted;
  }

  finish(): void {
    if (this.#isShown) this.#terminal.write('\r\u001b[K');
  }

  get #isShown(): boolean {
    return this.#terminal.isTTY && this.#bytesTotal !== 0;
  }

  #draw(): void {
    this.#drawnAtMs = performance.now();
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
