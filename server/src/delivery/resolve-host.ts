import { Resolver } from 'node:dns/promises';

/** Returns no address if there is none or no server answers. `signal` cancels the query. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** The timeout of the first try. c-ares doubles it for the second. */
const TRY_MS_MAX = 1_500;
const TRIES_MAX = 2;
// After one address family has answered, the other has only this long, because some name servers
// drop queries for unknown types.
const OTHER_FAMILY_MS_MAX = 500;

/**
 * Does not read the hosts file, because that may name internal hosts. `servers` replaces the name
 * servers of the machine.
 */
export async function resolveHost(
  hostname: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: TRY_MS_MAX, tries: TRIES_MAX });
  if (servers !== undefined) resolver.setServers(servers);
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => resolver.cancel();
  const limitOther = (found: string[]): string[] => {
    timer ??= setTimeout(cancel, OTHER_FAMILY_MS_MAX);
    return found;
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const families = await Promise.allSettled([
      resolver.resolve6(hostname).then(limitOther),
      resolver.resolve4(hostname).then(limitOther),
    ]);
    return families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}
