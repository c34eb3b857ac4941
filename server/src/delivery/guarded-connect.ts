import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { isLocalhostName, isLoopbackHost } from '../base/loopback.ts';
import { AttemptFault, toConnectFault } from './attempt-fault.ts';
import { canonicalAddress } from './address-guard.ts';
import type { EstablishedConnection } from './receiver-agent.ts';
import type { ResolveHost } from './resolve-host.ts';

export interface ConnectRules {
  /** For development: allows http and the literal hosts `localhost`, 127.0.0.0/8 and ::1. */
  readonly allowsLoopback: boolean;
  readonly resolve: ResolveHost;
  readonly isAllowedAddress: (address: string) => boolean;
  /** PEM certificates of trusted authorities that replace those of the system. */
  readonly ca?: string;
  /** The time limit for DNS, TCP and TLS together. */
  readonly connectMs: number;
}

// Connecting to the far side of the earth takes less than 400 ms. A longer wait for one address
// would delay events when the first address is down.
const ADDRESS_MS = 1_000;
/** Per family: enough to get past a few hosts that are down, too few to probe a network. */
const ADDRESSES_MAX = 3;

/**
 * Checks every connection, so that DNS rebinding has no effect: all addresses of the host must be
 * allowed, the connection is made to one of them and never by name, and the peer address is checked
 * afterwards. A `lookup` hook would not be enough: Node does not call it for literal addresses.
 * @throws AttemptFault
 */
export async function connectGuarded(
  rules: ConnectRules,
  origin: URL,
  signal: AbortSignal,
): Promise<EstablishedConnection> {
  const aborter = new AbortController();
  const isSecure = origin.protocol === 'https:';
  let phase: 'names' | 'tcp' | 'tls' = 'names';
  const timer = setTimeout(() => {
    const message = `no connection within ${rules.connectMs} ms`;
    aborter.abort(new AttemptFault(phase === 'names' ? 'dns' : 'timeout', message));
  }, rules.connectMs);
  const onAbort = (): void => aborter.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const addresses = await resolveVetted(rules, origin, aborter.signal);
    phase = 'tcp';
    const port = Number(origin.port === '' ? (isSecure ? 443 : 80) : origin.port);
    const socket = await connectFirst(addresses, port, aborter.signal);
    requireVettedPeer(socket, addresses);
    if (!isSecure) return { socket, tcpSocket: socket };
    phase = 'tls';
    const tls = await startTls(socket, origin.hostname, rules.ca, aborter.signal);
    return { socket: tls, tcpSocket: socket };
  } catch (error) {
    if (aborter.signal.aborted) throw aborter.signal.reason;
    throw toConnectFault(error, phase === 'tls');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves the host of an origin and returns its addresses. Throws unless all are allowed. */
async function resolveVetted(
  rules: ConnectRules,
  { protocol, hostname }: URL,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (rules.allowsLoopback && isLoopbackHost(hostname)) {
    return hostname === 'localhost' ? ['127.0.0.1', '::1'] : [withoutBrackets(hostname)];
  }
  // The URL parser has normalized every notation of an IPv4 address, but a trailing dot may remain.
  const isLiteral = isIP(withoutBrackets(hostname).replace(/\.$/, '')) !== 0;
  if (protocol !== 'https:' || isLiteral || isLocalhostName(hostname)) {
    throw new AttemptFault('blocked_address', 'the host is not a public host name');
  }
  const found = await rules.resolve(hostname, signal);
  signal.throwIfAborted();
  if (found.length === 0) throw new AttemptFault('dns', 'the host name does not resolve');
  const refused = found.find((address) => !rules.isAllowedAddress(address));
  if (refused !== undefined) {
    throw new AttemptFault(
      'blocked_address',
      `the host name resolves to ${refused}, which is not allowed`,
    );
  }
  return found;
}

/** Connects to the first address that accepts, alternating between IPv4 and IPv6. */
async function connectFirst(
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
    // Without this listener, an `error` event on an otherwise unused socket would end the process.
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
  // A peer that has already reset the connection has no remote address.
  if (isGone) throw new AttemptFault('reset', 'the connection was reset immediately');
  throw new AttemptFault(
    'blocked_address',
    `connected to ${peer ?? 'an unknown address'} instead of a checked address`,
  );
}

/** `rejectUnauthorized` is explicit, so that `NODE_TLS_REJECT_UNAUTHORIZED` has no effect. */
async function startTls(
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
    // A literal address must not be sent as a server name (RFC 6066 §3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  const onAbort = (): void => {
    tls.destroy();
    reject(new AttemptFault('timeout', 'aborted during the TLS handshake'));
  };
  tls.once('secureConnect', () => resolve(tls));
  tls.on('error', reject);
  tls.once('close', () => reject(new AttemptFault('reset', 'closed during the TLS handshake')));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
