/** A redirect URI that resembles a registered one, and how it differs. */
export interface WrongRedirectUri {
  readonly wrong: string;
  readonly uri: string;
}

/** RFC 8252 §7.3: an app may choose the port of a loopback redirect URI. */
const LOOPBACK = new Set(['127.0.0.1', '[::1]']);

/**
 * Returns unregistered redirect URIs that a sloppy comparison would accept (RFC 6749 §3.1.2.3).
 * Omits URIs that a server may treat as equal (another case of the host, an explicit default port).
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
    path('a path below the registered one', `${pathname.replace(/\/$/, '')}/x`),
    path('a longer path', `${pathname}x`),
    path('a shorter path', pathname.slice(0, -1)),
    path('another path', '/elsewhere'),
    path('no path', '/'),
    path('a trailing slash added or removed', pathname.replace(/\/$|$/, slashOrNone)),
    path('upper case in the path', pathname.toUpperCase()),
    path('lower case in the path', pathname.toLowerCase()),
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
