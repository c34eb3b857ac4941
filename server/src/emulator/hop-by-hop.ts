/** Of this connection, not of the request: each side of the front has its own. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive']);

/** Headers as Node gives them, names and values in turn, without those of their connection. */
export function withoutHopByHop(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    // The front has answered this one itself; what else is expected is the service's to refuse.
    const isAnswered = /^expect$/i.test(name) && /^100-continue$/i.test(value);
    if (!isAnswered && !HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
