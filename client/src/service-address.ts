/** Host names of the local machine, as `URL` normalizes them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/**
 * Returns why this address, from options or metadata, must not receive the client secret and
 * tokens. It must be https, or http on this machine, without a query, fragment or password.
 */
export function findAddressProblem(address: string): string | undefined {
  const { protocol, hostname, search, hash, username, password } = new URL(address);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  if (!isSafe) return 'must be https; http is allowed only for a service on this machine';
  const isBareAddress = [search, hash, username, password].every((part) => part === '');
  return isBareAddress ? undefined : 'must not contain a query, a # or a password';
}
