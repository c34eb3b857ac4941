import { connect, isIPv6, type Socket } from 'node:net';

/** How long one address is tried before the next one is tried beside it (RFC 8305 §5). */
const BESIDE_AFTER_MS = 250;
/** Addresses that are tried: enough for a receiver whose first ones are down, too few to knock at many doors for one notice. */
const ADDRESSES_MAX = 6;

/**
 * Connects to the first of these addresses that takes it, the families in turn (RFC 8305). Nothing but these addresses is
 * ever connected to. What `signal` breaks off is rejected with its reason.
 *
 * @throws AggregateError when none takes it
 */
export async function connectFirst(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const waiting = inTurn(addresses).slice(0, ADDRESSES_MAX);
  const open = new Set<Socket>();
  const errors: Error[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let beside: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearTimeout(beside);
    for (const socket of open) socket.destroy();
    open.clear();
    signal.removeEventListener('abort', breakOff);
  };
  const breakOff = (): void => {
    end();
    reject(reasonOf(signal));
  };
  const tryNext = (): void => {
    clearTimeout(beside);
    const address = waiting.shift();
    if (address === undefined) {
      if (open.size > 0) return;
      end();
      reject(new AggregateError(errors, 'no address takes a connection'));
      return;
    }
    const socket = connect({ host: address, port, noDelay: true });
    open.add(socket);
    socket.once('connect', () => {
      if (!open.delete(socket)) return;
      end();
      resolve(socket);
    });
    // Stays for the socket's life: whoever takes it over hears of its errors by listeners of their own.
    socket.on('error', (error) => {
      if (!open.delete(socket)) return;
      errors.push(error);
      tryNext();
    });
    if (waiting.length > 0) beside = setTimeout(tryNext, BESIDE_AFTER_MS);
  };
  signal.addEventListener('abort', breakOff, { once: true });
  if (signal.aborted) breakOff();
  else tryNext();
  return await promise;
}

/** IPv6, IPv4, IPv6, …, each family in its own order. */
function inTurn(addresses: readonly string[]): string[] {
  const six = addresses.filter((address) => isIPv6(address));
  const four = addresses.filter((address) => !isIPv6(address));
  const turns = Array.from({ length: Math.max(six.length, four.length) }, (_, turn) => [
    six[turn],
    four[turn],
  ]);
  return turns.flat().filter((address) => address !== undefined);
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('broken off');
}
