/** A redirect URI that looks like a registered one, and what is wrong with it. */
export interface WrongRedirectUri {
  readonly wrong: string;
  readonly uri: string;
}

/** RFC 8252 §7.3: the port of a loopback redirect URI is the app's to choose. */
const LOOPBACK = new Set(['127.0.0.1', '[::1]']);

/**
 * Redirect URIs that are not `registered`, though a sloppy comparison takes them for it (RFC 6749 §3.1.2.3). Those that a
 * server may call the same resource (another case of the host, the default port spelt out) are not among them.
 */
export function wrongRedirectUris(registered: string): readonly WrongRedirectUri[] {
  const { hostname, pathname, port, protocol } = new URL(registered);
  const changed = (wrong: string, change: (url: URL) => void): WrongRedirectUri => {
    const url = new URL(registered);
    change(url);
    return { wrong, uri: url.href };
  };
  const path = (wrong: string, to: string): WrongRedirectUri =>
    changed(wrong, (url) => {
      url.pathname = to;
    });
  const forms = [
    { wrong: 'another host', uri: 'https://thief.example/callback' },
    changed('a host that begins with the registered one', (url) => {
      url.hostname = `${hostname}.thief.example`;
    }),
    changed('another scheme', (url) => {
      url.protocol = protocol === 'https:' ? 'http:' : 'https:';
    }),
    path('a path below', `${pathname.replace(/\/$/, '')}/x`),
    path('a longer path', `${pathname}x`),
    path('a shorter path', pathname.slice(0, -1)),
    path('another path', '/elsewhere'),
    path('no path', '/'),
    path('a slash at the end, or none', pathname.replace(/\/$|$/, slashOrNone)),
    path('capitals in the path', pathname.toUpperCase()),
    path('small letters in the path', pathname.toLowerCase()),
    changed('another query', (url) => url.searchParams.append('x', '1')),
  ];
  const otherPort = changed('another port', (url) => {
    url.port = port === '8443' ? '8444' : '8443';
  });
  const all = LOOPBACK.has(hostname) ? forms : [...forms, otherPort];
  const itself = new URL(registered).href;
  const different = all.filter(({ uri }) => new URL(uri).href !== itself);
  return [...new Map(different.map((form) => [form.uri, form])).values()];
}

function slashOrNone(end: string): string {
  return end === '/' ? '' : '/';
}
