/** A request to send over a socket. */
export interface Probe {
  readonly name: string;
  readonly bytes: string;
  /** True for a HEAD request, whose response has no body. */
  readonly isHead?: boolean;
}

const HOST = 'Host: cards.example\r\n';
const PATHS = [
  '/',
  '/livez',
  '/partner/v1/connection',
  '/partner/v1/inventory/changes?limit=5',
  '/partner/v1/nothing',
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const ODD_METHODS = [
  'PROPFIND',
  'M-SEARCH',
  'SEARCH',
  'PURGE',
  'LINK',
  'get',
  'GeT',
  'FOO',
  'G T',
  '\0',
  'GET\0',
  '{',
  'é',
  'A'.repeat(20_000),
];

const TARGETS = [
  '*',
  '',
  '/%',
  '/%z',
  '/%zz',
  '/%00',
  '/%2',
  '/%c3%28',
  '/%ff',
  '/\0',
  '/\x01',
  '/\x7f',
  '/é',
  '/a b',
  '//',
  '///',
  '/..',
  '/../../etc/passwd',
  '/.',
  '/%2e%2e/',
  '/?',
  '/??',
  '/#',
  '/#a',
  '/;a=b',
  '/partner/v1/connection/',
  '/partner/v1//connection',
  '/PARTNER/V1/CONNECTION',
  '/partner/v1/connection?%',
  '/partner/v1/connection?%00',
  '/partner/v1/connection?\0',
  '/partner/v1/inventory/changes?cursor=%00',
  '/partner/v1/inventory/changes?limit=\x00',
  '/partner/v1/inventory/changes?__proto__=1',
  '/partner/v1/inventory/changes?constructor[prototype]=1',
  '/partner/v1/inventory/%2e',
  '/partner/v1/cards?search=%ff',
  '/partner/v1/cards?search=\xe7\xab\x9c',
  '/partner/v1/cards/%ff',
  'http://cards.example/livez',
  'http://cards.example',
  'https://other.example/partner/v1/connection',
  'ftp://x/',
  'cards.example:80',
  'livez',
  '\\',
  '/\\',
  '/"<>',
  `/${'a'.repeat(3_000)}`,
  `/${'a'.repeat(20_000)}`,
  `/${'%41'.repeat(2_000)}`,
  `/?${'a=1&'.repeat(3_000)}`,
  `/partner/v1/${'a/'.repeat(2_000)}`,
] as const;

const VERSIONS = [
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/3',
  'HTTP/11',
  'http/1.1',
  'HTTP/1.1 ',
  'HTTP/-1',
  'HTTX/1.1',
  'HTTP',
  '',
];

const HEADERS = [
  'No colon\r\n',
  ': empty name\r\n',
  'A : space\r\n',
  ' folded: x\r\n',
  'A: x\r\n folded\r\n',
  'A: \0\r\n',
  'A\0: x\r\n',
  'A: \x01\r\n',
  'A: \x7f\r\n',
  'Á: x\r\n',
  'A: é\r\n',
  'A: x\rB: y\r\n',
  'A: x\nB: y\r\n',
  '\r\n',
  '\n',
  'A: \r\n',
  `A: ${'x'.repeat(20_000)}\r\n`,
  `${'A'.repeat(20_000)}: x\r\n`,
  'A: x\r\n'.repeat(2_100),
  'Host: second.example\r\n',
  'host:\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: abc\r\n',
  'Content-Length: 1e3\r\n',
  'Content-Length: 0x10\r\n',
  'Content-Length: +5\r\n',
  'Content-Length: 5, 5\r\n',
  'Content-Length: 5\r\nContent-Length: 6\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked, chunked\r\n',
  'Transfer-Encoding: identity\r\n',
  'Transfer-Encoding: gzip\r\n',
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n',
  'Transfer-Encoding:\r\n',
  'Expect: nothing\r\n',
  'Expect: 100-continue\r\n',
  'Expect:\r\n',
  'Upgrade: websocket\r\nConnection: upgrade\r\n',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n',
  'Connection: \0\r\n',
  'Connection: keep-alive, close\r\n',
  'Authorization: \x01\r\n',
  'Authorization: Bearer \x80\xff\r\n',
  `Authorization: Bearer ${'a'.repeat(15_000)}\r\n`,
  'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n',
  'Cookie: ;;;=\r\n',
  'Content-Type: ;;;\r\n',
  'Accept: \x1b[31m\r\n',
  "X-Forwarded-For: ' or 1=1\r\n",
  'X-Request-Id: mine\r\n',
  '__proto__: x\r\n',
  'Range: bytes=0-\r\n',
  'If-None-Match: *\r\n',
  'Keep-Alive: timeout=-1\r\n',
  'Content-Encoding: gzip\r\n',
  'TE: trailers\r\n',
  'Max-Forwards: 0\r\n',
] as const;

const CHUNKED = 'Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n';
const BODIES = [
  `${CHUNKED}\r\nzz\r\n{}\r\n0\r\n\r\n`,
  `${CHUNKED}\r\n-1\r\n{}\r\n0\r\n\r\n`,
  `${CHUNKED}\r\n2\r\n{}0\r\n\r\n`,
  `${CHUNKED}\r\n2\r\n{}\r\n`,
  `${CHUNKED}\r\nffffffffffffffffff\r\n`,
  `${CHUNKED}\r\n2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  `${CHUNKED}\r\n0\r\nTrailer: x\r\n\r\n`,
  `${CHUNKED}\r\n0\r\nBad trailer\r\n\r\n`,
  `${CHUNKED}\r\n0\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
  `${CHUNKED}\r\n2\n{}\n0\n\n`,
  `${CHUNKED}\r\n 2\r\n{}\r\n0\r\n\r\n`,
  `${CHUNKED}\r\n5000\r\n${'x'.repeat(0x5000)}\r\n0\r\n\r\n`,
  `Content-Length: 20000\r\n\r\n${'x'.repeat(20_000)}`,
  'Content-Length: 20000\r\n\r\nshort',
  'Content-Length: 2\r\n\r\n{}{}',
  'Content-Length: 0\r\n\r\nleft over',
  'Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{\0}',
  'Content-Type: application/json\r\nContent-Length: 2\r\nContent-Encoding: br\r\n\r\n{}',
  'Content-Type: a/b; c="\r\nContent-Length: 1\r\n\r\nx',
] as const;

const HAND_WRITTEN: readonly Probe[] = [
  { name: 'nothing', bytes: '' },
  { name: 'empty lines', bytes: '\r\n\r\n\r\n' },
  { name: 'line feeds', bytes: '\n\n\n\n' },
  { name: 'NUL bytes', bytes: '\0'.repeat(100) },
  { name: 'a TLS hello', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
  { name: 'the HTTP/2 preface', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { name: 'SSH', bytes: 'SSH-2.0-OpenSSH_9.6\r\n' },
  { name: 'SMTP', bytes: 'EHLO cards.example\r\n' },
  { name: 'a request line alone', bytes: 'GET / HTTP/1.1\r\n' },
  { name: 'half a request line', bytes: 'GET /part' },
  { name: 'half a header', bytes: `GET /livez HTTP/1.1\r\n${HOST}Acc` },
  { name: 'no request line', bytes: `${HOST}\r\n` },
  { name: 'line feeds only', bytes: 'GET /livez HTTP/1.1\nHost: x\n\n' },
  { name: 'carriage returns only', bytes: 'GET /livez HTTP/1.1\rHost: x\r\r' },
  { name: 'no host', bytes: 'GET /livez HTTP/1.1\r\n\r\n' },
  { name: 'no host in HTTP/1.0', bytes: 'GET /livez HTTP/1.0\r\n\r\n' },
  { name: 'an empty host', bytes: 'GET /livez HTTP/1.1\r\nHost:\r\n\r\n' },
  { name: 'CONNECT', bytes: `CONNECT cards.example:443 HTTP/1.1\r\n${HOST}\r\n` },
  { name: 'CONNECT without a port', bytes: `CONNECT / HTTP/1.1\r\n${HOST}\r\n` },
  { name: 'CONNECT followed by bytes', bytes: `CONNECT x:1 HTTP/1.1\r\n${HOST}\r\n\x16\x03\x01` },
  {
    name: 'two pipelined, the second malformed',
    bytes: `GET /livez HTTP/1.1\r\n${HOST}\r\nGET \0 HTTP/1.1\r\n\r\n`,
  },
  {
    name: 'two pipelined, the second cut off',
    bytes: `GET /livez HTTP/1.1\r\n${HOST}\r\nGET /liv`,
  },
  { name: 'three pipelined', bytes: `GET /livez HTTP/1.1\r\n${HOST}\r\n`.repeat(3) },
  { name: 'text after a request', bytes: `GET /livez HTTP/1.1\r\n${HOST}\r\nhello\r\n\r\n` },
  { name: 'spaces', bytes: ' '.repeat(30_000) },
  {
    name: 'a smuggled request',
    bytes: `POST /partner/v1/connection HTTP/1.1\r\n${HOST}Content-Length: 44\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\n${HOST}\r\n`,
  },
];

/**
 * Returns more than 200 malformed or unusual requests: every method on every path, and requests in
 * which one part is broken.
 */
export function makeProbes(): readonly Probe[] {
  const request = (
    name: string,
    method: string,
    target: string,
    version: string,
    rest: string,
  ): Probe => ({
    name,
    bytes: `${method} ${target} ${version}\r\n${rest}`,
    isHead: method === 'HEAD',
  });
  const plain = `${HOST}\r\n`;
  const methods = [...METHODS, ...ODD_METHODS].flatMap((method) =>
    PATHS.map((path) => request(`${method.slice(0, 20)} ${path}`, method, path, 'HTTP/1.1', plain)),
  );
  const targets = TARGETS.flatMap((target) =>
    ['GET', 'POST'].map((method) =>
      request(`${method} ${target.slice(0, 40)}`, method, target, 'HTTP/1.1', plain),
    ),
  );
  const versions = VERSIONS.map((version) =>
    request(`version ${version}`, 'GET', '/livez', version, plain),
  );
  const headers = HEADERS.flatMap((header) =>
    [
      ['GET', '/livez'],
      ['POST', '/partner/v1/connection'],
    ].map(([method = '', path = '']) =>
      request(`${method} ${header.slice(0, 40)}`, method, path, 'HTTP/1.1', `${HOST}${header}\r\n`),
    ),
  );
  const bodies = BODIES.flatMap((body, index) =>
    ['POST', 'GET', 'DELETE'].map((method) =>
      request(
        `${method} body ${index}`,
        method,
        '/partner/v1/connection',
        'HTTP/1.1',
        `${HOST}${body}`,
      ),
    ),
  );
  return [...HAND_WRITTEN, ...methods, ...targets, ...versions, ...headers, ...bodies];
}
