import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public addresses that lead inward all the same: the host agent of Azure, which hands out settings of its machine. */
const INWARD_PUBLIC: ReadonlySet<string> = new Set(['168.63.129.16']);

/** What IANA has given out as global unicast; beyond it ipaddr.js calls unicast what it has no name for. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** The halves of an interface identifier that say that an IPv4 address follows (ISATAP, RFC 5214 §6.1). */
const ISATAP_HIGH: ReadonlySet<number> = new Set([0, 0x200]);
const ISATAP_LOW = 0x5efe;

/**
 * The one spelling of an address, or null for any other text: dotted decimals, or groups of IPv6 in lower case, an IPv4
 * address within IPv6 (::ffff:0:0/96) as the IPv4 address that it is. A zone (`%eth0`) belongs to a link, so it makes an
 * address none.
 */
export function canonicalAddress(address: string): string | null {
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0) return null;
  if (version === 4) return address;
  // The URL parser spells with groups alone: ipaddr.js takes `::127.0.0.1` for a mapped address, which it is not.
  const groups = ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1));
  return groups.isIPv4MappedAddress() ? groups.toIPv4Address().toString() : groups.toString();
}

/**
 * True for an address that anybody on the internet may reach: global unicast, and none that carries an IPv4 address within
 * IPv6 to somewhere else (6to4, Teredo, NAT64, ISATAP). Everything that is doubtful is refused (decision 0103).
 */
export function isGlobalUnicast(address: string): boolean {
  const canonical = canonicalAddress(address);
  if (canonical === null || INWARD_PUBLIC.has(canonical)) return false;
  const parsed = ipaddr.parse(canonical);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return true;
  const [, , , , high = 0, low = 0] = parsed.parts;
  return parsed.match(GLOBAL_IPV6) && !(low === ISATAP_LOW && ISATAP_HIGH.has(high));
}
