/** Longest `Cookie` header that is read; Node lets no request with more than 16 KiB of headers through. */
const HEADER_CHARACTERS_MAX = 16_384;

/** What a cookie of ours is called: over https the prefix `__Host-` binds it to this very host (RFC 6265bis §4.1.3). */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The value of a cookie, or undefined. The first one counts when a name comes twice. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > HEADER_CHARACTERS_MAX) return undefined;
  for (const part of header.split(';')) {
    const [key = '', ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}

/** A `Set-Cookie` that no script reads and no other site's form sends. `maxAgeSeconds` 0 removes it. */
export function renderCookie(
  name: string,
  value: string,
  options: { readonly isSecure: boolean; readonly maxAgeSeconds: number },
): string {
  const secure = options.isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
