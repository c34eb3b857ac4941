import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { isLocalhostName, isLoopbackHost } from '../base/loopback.ts';
import { AttemptFault, faultOfConnecting } from './attempt-fault.ts';
import { canonicalAddress } from './guard.ts';
import type { Connected } from './receiver-agent.ts';
import type { ResolveHost } from './resolve-host.ts';

/** How connections are made and judged. */
export interface ConnectRules {
  /** Lets http, and the literal hosts `localhost`, 127.0.0.0/8 and ::1, pass: for development. */
  readonly allowsLoopback: boolean;
  readonly resolve: ResolveHost;
  readonly isAllowedAddress: (address: string) => boolean;
  /** Certificates of authorities in PEM, in place of the machine's. */
  readonly ca?: string;
  /** For names, TCP and TLS together, in milliseconds. */
  readonly connectMs: number;
}

/**
 * How long one address is tried before the next one is. Connections to the other side of the earth take less than 400 ms;
 * longer, and a receiver whose first address is down would be told late.
 */
const ADDRESS_MS = 1_000;
/** Addresses of each family that are tried: enough where the first ones are down, too few to call many hosts for one notice. */
const ADDRESSES_MAX = 3;

/**
 * Connects to the host of an origin, under the guard. Every connection is vetted, so an answer of the name servers
 * that changes changes nothing: all addresses of the host are vetted, the connection goes to one of them by its number and
 * never by its name, and the address at its other end is looked at once more. It stands in the connector, because what is
 * only told of look-ups hears nothing of hosts that are addresses.
 *
 * @throws AttemptFault
 */
export async function connectGuarded(
  rules: ConnectRules,
  origin: URL,
  signal: AbortSignal,
): Promise<Connected> {
  const limit = new AbortController();
  const isSecure = origin.protocol === 'https:';
  let phase: 'names' | 'tcp' | 'tls' = 'names';
  const late = setTimeout(() => {
    const message = `no connection within ${rules.connectMs} ms`;
    limit.abort(new AttemptFault(phase === 'names' ? 'dns' : 'timeout', message));
  }, rules.connectMs);
  const breakOff = (): void => limit.abort(signal.reason);
  signal.addEventListener('abort', breakOff, { once: true });
  if (signal.aborted) breakOff();
  try {
    const addresses = await vettedAddresses(rules, origin, limit.signal);
    phase = 'tcp';
    const port = Number(origin.port === '' ? (isSecure ? 443 : 80) : origin.port);
    const socket = await connectOne(addresses, port, limit.signal);
    requireVettedPeer(socket, addresses);
    if (!isSecure) return { socket, wire: socket };
    phase = 'tls';
    const tls = await secure(socket, origin.hostname, rules.ca, limit.signal);
    return { socket: tls, wire: socket };
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason;
    throw faultOfConnecting(error, phase === 'tls');
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', breakOff);
  }
}

/** The addresses that the host may be reached at: all of them allowed, or none. */
async function vettedAddresses(
  rules: ConnectRules,
  { protocol, hostname }: URL,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (rules.allowsLoopback && isLoopbackHost(hostname)) {
    return hostname === 'localhost' ? ['127.0.0.1', '::1'] : [withoutBrackets(hostname)];
  }
  // The URL parser has made dotted decimals of every spelling of an IPv4 address; a dot behind them is part of no name.
  const isLiteral = isIP(withoutBrackets(hostname).replace(/\.$/, '')) !== 0;
  if (protocol !== 'https:' || isLiteral || isLocalhostName(hostname)) {
    throw new AttemptFault('blocked_address', 'the host is no name, or leads to this machine');
  }
  const found = await rules.resolve(hostname, signal);
  signal.throwIfAborted();
  if (found.length === 0) throw new AttemptFault('dns', 'the name has no address');
  const refused = found.find((address) => !rules.isAllowedAddress(address));
  if (refused !== undefined) {
    throw new AttemptFault('blocked_address', `the name leads to ${refused}`);
  }
  return found;
}

/** Connects to the first of these addresses that accepts, the families in turn, and to no other. */
async function connectOne(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const families = [6, 4].map((family) =>
    addresses
      .map((address) => ({ address, family: isIP(address) }))
      .filter((each) => each.family === family),
  );
  const tried = families.flatMap((family) => family.slice(0, ADDRESSES_MAX));
  const socket = connect({
    host: 'vetted',
    port,
    noDelay: true,
    lookup: (_, __, callback) => callback(null, tried),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
  });
  try {
    await once(socket, 'connect', { signal });
    // Stays for the socket's life: those who use it hear of its errors by listeners of their own.
    return socket.on('error', () => undefined);
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

function requireVettedPeer(socket: Socket, addresses: readonly string[]): void {
  const peer = canonicalAddress(socket.remoteAddress ?? '');
  if (peer !== null && addresses.some((address) => canonicalAddress(address) === peer)) return;
  const isGone = socket.remoteAddress === undefined;
  socket.destroy();
  // A peer that has already reset the connection has no address any more.
  if (isGone) throw new AttemptFault('reset', 'the connection was reset at once');
  throw new AttemptFault('blocked_address', `the connection leads to ${peer ?? 'no address'}`);
}

/** TLS over a connection that stands. Asked for and explicit: no variable of the environment switches the check off. */
async function secure(
  socket: Socket,
  hostname: string,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const host = withoutBrackets(hostname).replace(/\.$/, '');
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const tls = connectTls({
    socket,
    host,
    // RFC 6066 §3: a literal address is no server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  const breakOff = (): void => {
    tls.destroy();
    reject(new AttemptFault('timeout', 'broken off in the handshake'));
  };
  tls.once('secureConnect', () => resolve(tls));
  tls.on('error', reject);
  tls.once('close', () => reject(new AttemptFault('reset', 'closed in the handshake')));
  signal.addEventListener('abort', breakOff, { once: true });
  if (signal.aborted) breakOff();
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', breakOff);
  }
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
