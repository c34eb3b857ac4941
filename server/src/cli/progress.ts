import { Transform, type Readable } from 'node:stream';
import type { OpenInput } from './input.ts';

/** The bar is drawn at most this often: quicker is only flicker. */
const STEP_MS = 100;
const BAR_CELLS = 30;

/** Where the bar is drawn: standard error, or anything that takes its place. */
export interface Terminal {
  readonly isTTY: boolean;
  write(text: string): unknown;
}

/** A stream that tells how far it has been read. */
export interface ShownInput {
  readonly bytes: Readable;
  /** Takes the bar away. */
  readonly finish: () => void;
}

/** Draws how much of the input has been read on a terminal; anywhere else it draws nothing. */
export function showProgress(input: OpenInput, terminal: Terminal): ShownInput {
  if (!terminal.isTTY || input.bytesTotal === 0) {
    return { bytes: input.bytes, finish: () => undefined };
  }
  let readBytes = 0;
  let drawnAt = 0;
  const draw = (): void => {
    drawnAt = performance.now();
    terminal.write(`\r${renderBar(readBytes, input.bytesTotal)}\u001b[K`);
  };
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      readBytes += chunk.length;
      if (performance.now() - drawnAt >= STEP_MS) draw();
      done(null, chunk);
    },
    // What was read last may come within a step; while it is worked on, the bar must not stand still before its end.
    flush: (done) => {
      draw();
      done();
    },
  });
  input.bytes.once('error', (error) => counted.destroy(error));
  counted.once('close', () => input.bytes.destroy());
  input.bytes.pipe(counted);
  return { bytes: counted, finish: () => void terminal.write('\r\u001b[K') };
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
