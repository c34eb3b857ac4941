import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public addresses of internal services: the Azure host agent, which serves machine settings. */
const INTERNAL_SERVICES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** The IPv6 range that IANA allocates from. ipaddr.js also calls unassigned ranges "unicast". */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** An IPv6 interface identifier that embeds IPv4 begins with these groups (RFC 5214 §6.1). */
const ISATAP_HIGH: ReadonlySet<number> = new Set([0, 0x200]);
const ISATAP_LOW = 0x5efe;

/**
 * Returns dotted decimal for IPv4 and IPv4-mapped addresses, lower-case groups for IPv6. Null for
 * any other text, and for an address with a zone (`%eth0`), which is valid on one link only.
 */
export function canonicalAddress(address: string): string | null {
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0) return null;
  if (version === 4) return address;
  // `new URL` rewrites the address into hexadecimal groups. Without this, ipaddr.js would take
  // `::127.0.0.1` for a mapped address.
  const groups = ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1));
  return groups.isIPv4MappedAddress() ? groups.toIPv4Address().toString() : groups.toString();
}

/**
 * True for an address that the whole internet can reach: global unicast, and not a tunnel to an
 * embedded IPv4 address (6to4, Teredo, NAT64, ISATAP). False when in doubt (decision 0103).
 */
export function isGlobalUnicast(address: string): boolean {
  const canonical = canonicalAddress(address);
  if (canonical === null || INTERNAL_SERVICES.has(canonical)) return false;
  const parsed = ipaddr.parse(canonical);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return true;
  const [, , , , high = 0, low = 0] = parsed.parts;
  return parsed.match(GLOBAL_IPV6) && !(low === ISATAP_LOW && ISATAP_HIGH.has(high));
}
