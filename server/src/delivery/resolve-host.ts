import { Resolver } from 'node:dns/promises';

/** The addresses of a host, IPv4 and IPv6; none when there are none or no server answers. `signal` ends the query. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** How long a name server has for its answer at the first try; c-ares doubles it for the next. */
const TRY_MS_MAX = 1_500;
const TRIES_MAX = 2;
/** How much longer the other family is waited for once one has answered: some name servers swallow what they do not know. */
const OTHER_FAMILY_MS_MAX = 500;

/**
 * Asks the machine's name servers, by c-ares: at each call, without a cache, and without the machine's hosts file, which
 * may name inward hosts. `servers` are asked instead where they are given (`address` or `address:port`).
 */
export async function resolveHost(
  hostname: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: TRY_MS_MAX, tries: TRIES_MAX });
  if (servers !== undefined) resolver.setServers(servers);
  let late: NodeJS.Timeout | undefined;
  const cancel = (): void => resolver.cancel();
  const hurry = (found: string[]): string[] => {
    late ??= setTimeout(cancel, OTHER_FAMILY_MS_MAX);
    return found;
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const families = await Promise.allSettled([
      resolver.resolve6(hostname).then(hurry),
      resolver.resolve4(hostname).then(hurry),
    ]);
    return families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', cancel);
  }
}
