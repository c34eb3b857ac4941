import type { IncomingHttpHeaders } from 'node:http';

export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** An entity tag, with or without the weak prefix, captured without it (RFC 9110 §8.8.3). */
const TAG = /(?:^|,)[ \t]*(?:W\/)?("[!#-~\u0080-\u00FF]*")[ \t]*(?=,|$)/g;

/**
 * Whether a GET or HEAD gets a 304 (RFC 9110 §13.1.2, §13.1.3, §13.2.2). `If-None-Match` is
 * compared weakly; a tag without quotes is accepted. `If-Modified-Since` counts only without
 * `If-None-Match`, and only if it is a date.
 */
export function isNotModified(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) return matchesTag(noneMatch, validators.etag);
  const since = headers['if-modified-since'];
  if (since === undefined) return false;
  const sinceMs = parseHttpDate(since);
  // The header has whole seconds only.
  const modifiedMs = Math.floor(validators.lastModified.getTime() / 1_000) * 1_000;
  return sinceMs !== null && modifiedMs <= sinceMs;
}

function matchesTag(list: string, etag: string): boolean {
  const text = list.trim();
  if (text === '*') return true;
  for (const [, tag] of text.matchAll(TAG)) {
    if (tag === etag) return true;
  }
  // `If-None-Match: abc`, as some HTTP libraries send it.
  return text.replace(/^W\//, '') === etag.slice(1, -1);
}

/** An IMF-fixdate (RFC 9110 §5.6.7), the only form sent since 1997; null for anything else. */
function parseHttpDate(text: string): number | null {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
