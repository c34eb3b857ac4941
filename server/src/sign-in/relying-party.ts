import { isIP } from 'node:net';

/** The relying party of passkeys (Web Authentication §5.4.2). */
export type RelyingParty =
  | {
      readonly kind: 'host';
      /** The host of `PUBLIC_URL` without the port. */
      readonly id: string;
      /** The exact origin that the browser must report. */
      readonly origin: string;
    }
  /**
   * Browsers do not create passkeys at an IP address (Web Authentication §5.1.3). For a loopback
   * address, `instead` is the URL to set as `PUBLIC_URL`. Otherwise `instead` is null, because a
   * host name is required.
   */
  | { readonly kind: 'ip_address'; readonly host: string; readonly instead: string | null };

export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname, origin, port } = new URL(publicUrl);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0) return { kind: 'host', id: host, origin };
  const isLoopback = host === '::1' || host.startsWith('127.');
  const instead = isLoopback ? `http://localhost${port === '' ? '' : `:${port}`}` : null;
  return { kind: 'ip_address', host, instead };
}
