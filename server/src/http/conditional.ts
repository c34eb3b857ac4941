import type { IncomingHttpHeaders } from 'node:http';

export interface Validators {
  /** The strong entity tag with its quotes. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** Matches one entity tag of a list. The weak prefix is not captured (RFC 9110 §8.8.3). */
const TAG = /(?:^|,)[ \t]*(?:W\/)?("[!#-~\u0080-\u00FF]*")[ \t]*(?=,|$)/g;

/**
 * RFC 9110 §13.1.2, §13.1.3, §13.2.2. `If-None-Match` is compared weakly; a tag without quotes is
 * accepted. `If-Modified-Since` counts only without `If-None-Match`, and only if it is a date.
 */
export function isNotModified(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) return matchesTag(noneMatch, validators.etag);
  const since = headers['if-modified-since'];
  if (since === undefined) return false;
  const sinceMs = parseHttpDate(since);
  // Truncate to seconds, the resolution of the header.
  const modifiedMs = Math.floor(validators.lastModified.getTime() / 1_000) * 1_000;
  return sinceMs !== null && modifiedMs <= sinceMs;
}

function matchesTag(list: string, etag: string): boolean {
  const text = list.trim();
  if (text === '*') return true;
  for (const [, tag] of text.matchAll(TAG)) {
    if (tag === etag) return true;
  }
  // Some HTTP libraries send tags without quotes: `If-None-Match: abc`.
  return text.replace(/^W\//, '') === etag.slice(1, -1);
}

/** Parses an IMF-fixdate (RFC 9110 §5.6.7), the only form sent since 1997. Null for other texts. */
function parseHttpDate(text: string): number | null {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
