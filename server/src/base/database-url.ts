/** The message is a predicate of the setting's name ("must begin with …"), without secrets. */
export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError';
}

/** Other values of libpq's `target_session_attrs` may select a server that refuses writes. */
const SESSION_ATTRS: readonly string[] = ['read-write', 'primary', 'any'];

const URL_PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/;

/**
 * Returns one URL per host, in order (PostgreSQL, "Specifying Multiple Hosts").
 *
 * @throws DatabaseUrlError
 */
export function splitHosts(text: string): readonly string[] {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = URL_PARTS.exec(text) ?? [];
  if (scheme === '') throw new DatabaseUrlError('must begin with postgres:// or postgresql://');
  const options = new URLSearchParams(query);
  const attributes = options.get('target_session_attrs');
  if (attributes !== null && !SESSION_ATTRS.includes(attributes)) {
    throw new DatabaseUrlError(
      `must have a target_session_attrs of ${SESSION_ATTRS.join(' or ')}, because Cardport needs a server that accepts writes`,
    );
  }
  const urls = options.has('host')
    ? splitOptions(text, options)
    : hosts.split(',').map((host) => `${scheme}${user}${requireHost(host, hosts)}${path}?${query}`);
  if (!urls.every((url) => URL.canParse(url))) {
    throw new DatabaseUrlError(
      'must look like postgres://user:password@host:5432/name; several hosts are separated by commas',
    );
  }
  return urls.length === 1 ? [text] : urls;
}

function requireHost(host: string, all: string): string {
  if (host !== '' || all === '') return host;
  throw new DatabaseUrlError('must not have an empty host name in its list of hosts');
}

/** Splits `?host=a,b&port=1,2`, the form for directories of Unix sockets. */
function splitOptions(text: string, options: URLSearchParams): readonly string[] {
  const hosts = options.get('host')?.split(',') ?? [];
  const ports = options.get('port')?.split(',') ?? [''];
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new DatabaseUrlError('must give one port for all hosts, or one port for each host');
  }
  const [beforeQuery = ''] = text.split('?');
  return hosts.map((host, index) => {
    const one = new URLSearchParams(options);
    one.set('host', requireHost(host, hosts.join('')));
    one.set('port', ports[index] ?? ports[0] ?? '');
    return `${beforeQuery}?${one.toString()}`;
  });
}
