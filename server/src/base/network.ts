import { isIPv4, isIPv6 } from 'node:net';

/** Leading bits of what is given out as one: an IPv6 site (RFC 6177), what some providers give a home, a subscriber. */
const IPV6_PREFIXES = [48, 56, 64] as const;

/**
 * What callers are counted by: an IPv4 address, or the /64 of an IPv6 one, because a subscriber holds a whole /64 and
 * counting single addresses would count nothing. Every spelling of an address is one network: with a port, in brackets,
 * with a zone, an IPv4 address within IPv6 in either notation. What is no address at all is `unknown`.
 */
export function networkOf(address: string): string {
  return networkLevels(address).at(-1) ?? 'unknown';
}

/**
 * The networks that hold an address, the widest first and `networkOf` last: /48, /56 and /64 of an IPv6 address, the /24
 * of an IPv4 one and itself. One /48 contains 65,536 networks of `networkOf`.
 */
export function networkLevels(address: string): readonly string[] {
  const bare = withoutPort(address.trim());
  if (isIPv4(bare)) return levelsOfIpv4(bare);
  const [unzoned = ''] = bare.split('%');
  if (!isIPv6(unzoned)) return ['unknown'];
  const groups = groupsOf(unzoned);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6);
    return levelsOfIpv4([high >> 8, high & 0xff, low >> 8, low & 0xff].join('.'));
  }
  return IPV6_PREFIXES.map((bits) => {
    const kept = groups.slice(0, 4);
    // Of the four groups only the last is ever cut.
    kept[3] = (kept[3] ?? 0) & (0xffff << (64 - bits));
    return `${kept.map((group) => group.toString(16)).join(':')}::/${bits}`;
  });
}

function levelsOfIpv4(address: string): readonly string[] {
  return [`${address.slice(0, address.lastIndexOf('.'))}.0/24`, address];
}

/** Proxies write ports: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function withoutPort(address: string): string {
  const [, bracketed, plain] =
    /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const left = numbersOf(head);
  if (tail === undefined) return left;
  const right = numbersOf(tail);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function numbersOf(part: string): number[] {
  return part
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => {
      if (!group.includes('.')) return [Number.parseInt(group, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
}
