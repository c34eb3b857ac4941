export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Subdomains of `localhost` never leave the machine (RFC 6761 §6.3), even with a final dot. */
export function isLocalhostName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}
