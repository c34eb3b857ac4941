/** The maximum length of a `Cookie` header. Node accepts at most 16 KiB of headers. */
const HEADER_CHARACTERS_MAX = 16_384;

/** Adds the prefix `__Host-` over https. It binds the cookie to this host (RFC 6265bis §4.1.3). */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** Returns the value of a cookie. If a name is repeated, the first value counts. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > HEADER_CHARACTERS_MAX) return undefined;
  for (const part of header.split(';')) {
    const [key = '', ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}

/** Scripts and forms of other sites have no access. A `maxAgeSeconds` of 0 removes the cookie. */
export function renderCookie(
  name: string,
  value: string,
  options: { readonly isSecure: boolean; readonly maxAgeSeconds: number },
): string {
  const secure = options.isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
