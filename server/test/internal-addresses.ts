/**
 * A URL host, in any spelling, that leads to this machine, its network, or the metadata service of
 * its cloud.
 */
export interface InternalAddress {
  /** The part between `https://` and the port. */
  readonly host: string;
  readonly why: string;
}

/**
 * Hosts to which no notice may be sent. Each is refused as `blocked_address` without a DNS query.
 */
export const INTERNAL_ADDRESSES: readonly InternalAddress[] = [
  ...all('loopback', [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '127.0.0.1.',
    '0177.0.0.1',
    '0177.0.0.01',
    '017700000001',
    '0x7f.0.0.1',
    '0x7f000001',
    '0X7F000001',
    '0x7f.1',
    '2130706433',
    '127.0x0.0.1',
    '0x7f.00.0.01',
    '%31%32%37.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
  ]),
  ...all('this host', ['0.0.0.0', '0', '0x0', '00000', '0.0.0.1', '0.255.255.255']),
  ...all('private', [
    '10.0.0.1',
    '10.1',
    '012.0.0.1',
    '0xa000001',
    '167772161',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.0.1',
    '192.168.1',
    '0300.0250.1.1',
    '3232235777',
  ]),
  ...all('link-local', ['169.254.0.1', '169.254.255.254']),
  ...all('shared by carriers', ['100.64.0.1', '100.127.255.254']),
  ...all('cloud metadata', [
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.43518',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '0xa83f8110',
    '192.0.0.192',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a83f:8110]',
  ]),
  ...all('for documents and measurements', [
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
  ]),
  ...all('reserved, multicast, broadcast', [
    '192.0.0.1',
    '192.88.99.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ]),
  ...all('IPv6 of this host', ['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::0001]']),
  ...all('IPv4 within IPv6', [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::8.8.8.8]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b::8.8.8.8]',
    '[64:ff9b:1::10.0.0.1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::1]',
    '[2001::7f00:1]',
    '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
    '[2606:4700::5efe:127.0.0.1]',
    '[2606:4700::200:5efe:10.0.0.1]',
  ]),
  ...all('IPv6 inward', [
    '[fc00::1]',
    '[fd12:3456:789a::1]',
    '[fe80::1]',
    '[febf::1]',
    '[fe80::1%25lo]',
    '[fec0::1]',
    '[ff02::1]',
    '[100::1]',
    '[100:0:0:1::1]',
    '[2001:db8::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[4000::1]',
  ]),
  ...all('a name of this host', [
    'localhost',
    'localhost.',
    'LOCALHOST',
    'LocalHost.',
    'l%6fcalhost',
    'ｌｏｃａｌｈｏｓｔ',
    'hook.localhost',
    'a.b.localhost.',
    'api.LOCALHOST',
  ]),
];

function all(why: string, hosts: readonly string[]): InternalAddress[] {
  return hosts.map((host) => ({ host, why }));
}
