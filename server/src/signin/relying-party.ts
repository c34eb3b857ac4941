import { isIP } from 'node:net';

/** Who passkeys are made for (Web Authentication §5.4.2). */
export type RelyingParty =
  | {
      readonly kind: 'host';
      /** The host of `PUBLIC_URL`, without its port. */
      readonly id: string;
      /** What the browser must name as the origin, exactly. */
      readonly origin: string;
    }
  /**
   * A passkey is bound to a host name: at an IP address browsers make none (Web Authentication §5.1.3). `instead` is the
   * address to set as `PUBLIC_URL` and to open, where this machine serves itself; null where only a name would do.
   */
  | { readonly kind: 'ip_address'; readonly host: string; readonly instead: string | null };

/** The relying party of a service at `publicUrl`. */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname, origin, port } = new URL(publicUrl);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0) return { kind: 'host', id: host, origin };
  const isLoopback = host === '::1' || host.startsWith('127.');
  const instead = isLoopback ? `http://localhost${port === '' ? '' : `:${port}`}` : null;
  return { kind: 'ip_address', host, instead };
}
