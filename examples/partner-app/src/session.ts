import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PendingAuthorization } from '@cardport/client';
import { appUrl } from './settings.ts';

const BEGUN_MAX = 1_000;
/** Begun approvals by their browser: each is good for one callback. */
const begun = new Map<string, PendingAuthorization>();

/** The random name of a browser that has begun an approval, or an empty text. */
export function browserOf({ headers }: IncomingMessage): string {
  return /(?:^|; )browser=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
}

/** Remembers what a browser has begun; returns its cookie, which no script can read. */
export function begin(pending: PendingAuthorization): string {
  const [oldest = ''] = begun.keys();
  if (begun.size >= BEGUN_MAX) begun.delete(oldest);
  const browser = randomUUID();
  begun.set(browser, pending);
  const safety = `HttpOnly; SameSite=Lax${appUrl.protocol === 'https:' ? '; Secure' : ''}`;
  return `browser=${browser}; Path=/; Max-Age=3600; ${safety}`;
}

/** What a browser has begun, once. */
export function takeBegun(browser: string): PendingAuthorization | null {
  const pending = begun.get(browser) ?? null;
  begun.delete(browser);
  return pending;
}
