import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLocalhostName } from '../base/loopback.ts';
import { canonicalAddress, isGlobalUnicast } from './address-guard.ts';

/** Addresses at the ends of the blocks in IANA's registries (RFC 6890) and of some other blocks. */
const SPECIAL: ReadonlyMap<string, readonly string[]> = new Map([
  ['this network (RFC 791)', ['0.0.0.0', '0.255.255.255']],
  ['private (RFC 1918)', ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255']],
  ['private (RFC 1918), the third', ['192.168.0.0', '192.168.255.255']],
  ['shared by carriers (RFC 6598)', ['100.64.0.0', '100.127.255.255']],
  ['loopback (RFC 1122)', ['127.0.0.0', '127.255.255.255']],
  ['link-local (RFC 3927)', ['169.254.0.0', '169.254.255.255']],
  ['protocol assignments (RFC 6890)', ['192.0.0.0', '192.0.0.8', '192.0.0.170', '192.0.0.255']],
  ['anycast of protocols (RFC 7723, 8155)', ['192.0.0.9', '192.0.0.10']],
  ['documents (RFC 5737)', ['192.0.2.0', '198.51.100.255', '203.0.113.0', '203.0.113.255']],
  ['AS112 (RFC 7534, 7535)', ['192.31.196.0', '192.175.48.255']],
  ['AMT (RFC 7450)', ['192.52.193.0', '192.52.193.255']],
  ['6to4 relays (RFC 7526)', ['192.88.99.0', '192.88.99.255']],
  ['measurements (RFC 2544)', ['198.18.0.0', '198.19.255.255']],
  ['multicast (RFC 5771)', ['224.0.0.0', '239.255.255.255']],
  ['reserved (RFC 1112)', ['240.0.0.0', '255.255.255.254']],
  ['broadcast (RFC 919)', ['255.255.255.255']],
  ['IPv6 loopback and unspecified (RFC 4291)', ['::1', '::']],
  ['IPv4-compatible (RFC 4291)', ['::8.8.8.8', '::808:808', '::7f00:1']],
  ['mapped, of an inward address (RFC 4291)', ['::ffff:127.0.0.1', '::ffff:7f00:1']],
  ['translated (RFC 2765)', ['::ffff:0:8.8.8.8']],
  ['NAT64 (RFC 6052)', ['64:ff9b::', '64:ff9b::8.8.8.8', '64:ff9b::ffff:ffff']],
  ['local NAT64 (RFC 8215)', ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff']],
  ['discard and dummy (RFC 6666, 9780)', ['100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::1']],
  ['Teredo (RFC 4380)', ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff']],
  ['protocol assignments (RFC 2928)', ['2001:1::1', '2001:1::2', '2001:1::3', '2001:1ff::1']],
  ['measurements (RFC 5180)', ['2001:2::', '2001:2:0:ffff::1']],
  ['AMT (RFC 7450), IPv6', ['2001:3::', '2001:3:ffff::1']],
  ['AS112 (RFC 7534, 7535), IPv6', ['2001:4:112::', '2620:4f:8000::1']],
  ['ORCHID (RFC 4843, 7343)', ['2001:10::', '2001:1f:ffff::', '2001:20::', '2001:2f:ffff::']],
  ['drones (RFC 9374)', ['2001:30::', '2001:3f:ffff::1']],
  ['documents (RFC 3849, 9637)', ['2001:db8::', '2001:db8:ffff::1', '3fff::', '3fff:fff:ffff::1']],
  ['6to4 (RFC 3056)', ['2002::', '2002:808:808::1', '2002:ffff:ffff::1']],
  ['segment routing (RFC 9602)', ['5f00::', '5f00:ffff::1']],
  ['unique local (RFC 4193)', ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']],
  ['link-local (RFC 4291)', ['fe80::', 'febf:ffff::1']],
  ['site-local (RFC 3879)', ['fec0::', 'feff:ffff::1']],
  ['multicast (RFC 4291)', ['ff00::', 'ffff:ffff::1']],
  ['not allocated by IANA', ['1fff::1', '4000::1', '8000::1', 'e000::1']],
  ['ISATAP (RFC 5214)', ['2606:4700::5efe:808:808', '2606:4700::200:5efe:10.0.0.1']],
  [
    'the virtual IP address of Azure',
    ['168.63.129.16', '::ffff:168.63.129.16', '::ffff:a83f:8110'],
  ],
  ['with a zone id', ['8.8.8.8%eth0', 'fe80::1%eth0', '2606:4700::1111%eth0', '2606:4700::1111%']],
  [
    'not an IP address',
    ['', 'example.org', '127.1', '0177.0.0.1', '2130706433', ' 8.8.8.8', '8.8.8.8\n', '[::1]'],
  ],
]);

const GLOBAL = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2003::1',
  '2606:4700:4700::1111',
  '2A00:1450:4001:0830:0000:0000:0000:200E',
];

describe('an address that is global unicast', () => {
  for (const [why, addresses] of SPECIAL) {
    it(`an address of this range is not global unicast: ${why}`, () => {
      for (const address of addresses) assert.equal(isGlobalUnicast(address), false, address);
    });
  }

  it('an address directly next to one of these ranges is global unicast', () => {
    for (const address of GLOBAL) assert.equal(isGlobalUnicast(address), true, address);
  });
});

describe('the address guard', () => {
  it('the address guard normalizes every spelling of an address', () => {
    assert.equal(canonicalAddress('2A00:1450:0:0:0:0:0:200E'), '2a00:1450::200e');
    assert.equal(canonicalAddress('::ffff:7f00:1'), '127.0.0.1');
    assert.equal(canonicalAddress('::FFFF:127.0.0.1'), '127.0.0.1');
    assert.equal(canonicalAddress('::127.0.0.1'), '::7f00:1');
    assert.equal(canonicalAddress('fe80::1%eth0'), null);
  });

  it('the address guard recognizes localhost and its subdomains (RFC 6761)', () => {
    for (const name of ['localhost', 'localhost.', 'LOCALHOST', 'a.localhost', 'a.b.localhost.']) {
      assert.equal(isLocalhostName(name), true, name);
    }
    for (const name of ['localhost.example', 'mylocalhost', 'localhost..', 'a.localhosts']) {
      assert.equal(isLocalhostName(name), false, name);
    }
  });
});
