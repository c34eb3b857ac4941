/** Node rejects requests with more than 16 KiB of headers. */
const HEADER_CHARACTERS_MAX = 16_384;

/** Over https the prefix `__Host-` binds the cookie to this exact host (RFC 6265bis §4.1.3). */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** If a name is repeated, the first one counts. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > HEADER_CHARACTERS_MAX) return undefined;
  for (const part of header.split(';')) {
    const [key = '', ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}

/** Scripts cannot read it, forms of other sites do not send it. `maxAgeSeconds` 0 removes it. */
export function renderCookie(
  name: string,
  value: string,
  options: { readonly isSecure: boolean; readonly maxAgeSeconds: number },
): string {
  const secure = options.isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
