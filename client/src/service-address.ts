/** Hosts that are this machine, as `URL` writes them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/**
 * Why the client secret or a token must not be sent to this address, or undefined when they may: it is https, or http that
 * stays on this machine, and nothing but a place. The one rule for options and for what metadata names.
 */
export function faultOfAddress(address: string): string | undefined {
  const { protocol, hostname, search, hash, username, password } = new URL(address);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  if (!isSafe) return 'must be https; http is for a service on this machine alone';
  const isPlace = [search, hash, username, password].every((part) => part === '');
  return isPlace ? undefined : 'must have no query, no # and no password';
}
