import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { withoutHopByHop } from './forwarded-request.ts';
import type { FaultEffects } from './wire-fault.ts';

/** Sends the service's response to the app, with the effects of faults. */
export async function sendFaultyResponse(
  serviceResponse: IncomingMessage,
  response: ServerResponse,
  { delayMs, loss, chunkDelayMs }: FaultEffects,
  cleared: AbortSignal,
): Promise<void> {
  await delayResponse(response, delayMs, cleared);
  if (loss === 'all') {
    // Wait for the complete response, so that the service has processed the request.
    await buffer(serviceResponse);
    response.socket?.destroy();
    return;
  }
  response.sendDate = false;
  const headers = withoutHopByHop(serviceResponse.rawHeaders);
  response.writeHead(
    serviceResponse.statusCode ?? 500,
    serviceResponse.statusMessage ?? '',
    headers,
  );
  if (loss === 'half') {
    const body = await buffer(serviceResponse);
    response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
    return;
  }
  if (chunkDelayMs > 0) {
    const body = await buffer(serviceResponse);
    await sendInChunks(response, body, chunkDelayMs, cleared);
    return;
  }
  serviceResponse.pipe(response);
  serviceResponse.once('error', () => response.socket?.destroy());
  response.once('close', () => serviceResponse.destroy());
}

const CHUNKS = 10;

async function sendInChunks(
  response: ServerResponse,
  body: Buffer,
  chunkDelayMs: number,
  cleared: AbortSignal,
): Promise<void> {
  response.flushHeaders();
  const pieceBytes = Math.max(1, Math.ceil(body.length / CHUNKS));
  for (let at = 0; at < body.length && !response.destroyed; at += pieceBytes) {
    await delayResponse(response, chunkDelayMs, cleared);
    response.write(body.subarray(at, at + pieceBytes));
  }
  response.end();
}

/** Waits until `delayMs` has passed, the app disconnects or the faults are cleared. */
export async function delayResponse(
  response: ServerResponse,
  delayMs: number,
  cleared: AbortSignal,
): Promise<void> {
  const disconnected = new AbortController();
  const end = (): void => disconnected.abort();
  response.once('close', end);
  const signal = AbortSignal.any([cleared, disconnected.signal]);
  if (delayMs > 0) await pause(delayMs, undefined, { signal }).catch(() => undefined);
  response.off('close', end);
}
