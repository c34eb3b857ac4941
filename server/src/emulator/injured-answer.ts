import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { withoutHopByHop } from './passed-request.ts';
import type { Injury } from './wire-fault.ts';

/** Sends the answer to the app, changed by the faults. */
export async function give(
  answer: IncomingMessage,
  response: ServerResponse,
  { delayMs, loss, dripMs }: Injury,
  cleared: AbortSignal,
): Promise<void> {
  await hesitate(response, delayMs, cleared);
  if (loss === 'all') {
    // The whole answer has arrived, so the service has completed the request.
    await buffer(answer);
    response.socket?.destroy();
    return;
  }
  response.sendDate = false;
  const headers = withoutHopByHop(answer.rawHeaders);
  response.writeHead(answer.statusCode ?? 500, answer.statusMessage ?? '', headers);
  if (loss === 'half') {
    const body = await buffer(answer);
    response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
    return;
  }
  if (dripMs > 0) {
    const body = await buffer(answer);
    await drip(response, body, dripMs, cleared);
    return;
  }
  answer.pipe(response);
  answer.once('error', () => response.socket?.destroy());
  response.once('close', () => answer.destroy());
}

const DRIPS = 10;

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

/** Waits until `delayMs` has passed, the app disconnects or the faults are cleared. */
export async function hesitate(
  response: ServerResponse,
  delayMs: number,
  cleared: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const end = (): void => gone.abort();
  response.once('close', end);
  const signal = AbortSignal.any([cleared, gone.signal]);
  if (delayMs > 0) await pause(delayMs, undefined, { signal }).catch(() => undefined);
  response.off('close', end);
}
