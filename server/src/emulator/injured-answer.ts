import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBytes } from './body-bytes.ts';
import { withoutHopByHop } from './hop-by-hop.ts';
import type { Injury } from './wire-fault.ts';

/** Of an answer that is lost or cut: a page of the feed at its largest has 3 MB. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/** Gives an answer to the app, or what is left of it. */
export async function give(
  answer: IncomingMessage,
  response: ServerResponse,
  { delayMs, loss, dripMs }: Injury,
  cleared: AbortSignal,
): Promise<void> {
  await hesitate(response, delayMs, cleared);
  if (loss === 'all') {
    // The whole answer has come: whatever the request was to do is done.
    await readBytes(answer, ANSWER_BYTES_MAX);
    response.socket?.destroy();
    return;
  }
  response.sendDate = false;
  const headers = withoutHopByHop(answer.rawHeaders);
  response.writeHead(answer.statusCode ?? 500, answer.statusMessage ?? '', headers);
  if (loss === 'half') {
    const body = (await readBytes(answer, ANSWER_BYTES_MAX)) ?? Buffer.alloc(0);
    response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
    return;
  }
  if (dripMs > 0) {
    const body = (await readBytes(answer, ANSWER_BYTES_MAX)) ?? Buffer.alloc(0);
    await drip(response, body, dripMs, cleared);
    return;
  }
  answer.pipe(response);
  answer.once('error', () => response.socket?.destroy());
  response.once('close', () => answer.destroy());
}

/** Pieces of a body that drips. */
const DRIPS = 10;

/** Sends a body piece by piece. */
async function drip(
  response: ServerResponse,
  body: Buffer,
  dripMs: number,
  cleared: AbortSignal,
): Promise<void> {
  response.flushHeaders();
  const pieceBytes = Math.max(1, Math.ceil(body.length / DRIPS));
  for (let at = 0; at < body.length && !response.destroyed; at += pieceBytes) {
    await hesitate(response, dripMs, cleared);
    response.write(body.subarray(at, at + pieceBytes));
  }
  response.end();
}

/** Waits, unless the app goes away or the faults are cleared meanwhile. */
export async function hesitate(
  response: ServerResponse,
  delayMs: number,
  cleared: AbortSignal,
): Promise<void> {
  if (delayMs === 0 || cleared.aborted) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      response.off('close', finish);
      cleared.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, delayMs);
    response.on('close', finish);
    cleared.addEventListener('abort', finish);
  });
}
