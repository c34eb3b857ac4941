import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Prefix lengths that providers commonly assign to one customer (RFC 6177). */
const IPV6_PREFIXES = [48, 56, 64] as const;

/**
 * Returns the key under which rate limits count a caller: the IPv4 address, or the /64 of an IPv6
 * address, because one customer can use all of it. Other texts share the key `unknown`.
 */
export function networkOf(address: string): string {
  return networkLevels(address).at(-1) ?? 'unknown';
}

/**
 * Returns an address's networks, widest first: the /48, /56 and /64 of an IPv6 address, or the /24
 * of an IPv4 address and the address itself. One /48 contains 65,536 networks of `networkOf`.
 */
export function networkLevels(address: string): readonly string[] {
  // Remove the zone, an interface name that the library does not accept (`fe80::1%br-lan`).
  const [bare = ''] = withoutPort(address.trim()).split('%');
  if (isIPv4(bare)) return levelsOfIpv4(bare);
  // The library accepts forms that no proxy writes, such as 1.2.3.
  if (!isIPv6(bare)) return ['unknown'];
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return levelsOfIpv4(parsed.toString());
  return IPV6_PREFIXES.map((bits) => {
    const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
    const masked = [a, b, c, d & (0xffff << (64 - bits))];
    return `${masked.map((group) => group.toString(16)).join(':')}::/${bits}`;
  });
}

function levelsOfIpv4(address: string): readonly string[] {
  return [`${address.slice(0, address.lastIndexOf('.'))}.0/24`, address];
}

/** Removes the port that some proxies add: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function withoutPort(address: string): string {
  const [, bracketed, plain] =
    /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}
