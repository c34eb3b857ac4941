import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PendingAuthorization } from '@cardport/client';
import { appUrl } from './settings.ts';

const BEGUN_MAX = 1_000;
/** Started approvals by browser; each is valid for one callback. */
const begun = new Map<string, PendingAuthorization>();

/** The random name of a browser that has started an approval, or an empty string. */
export function browserOf({ headers }: IncomingMessage): string {
  return /(?:^|; )browser=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
}

/** Stores an approval that a browser has started; returns its cookie, which no script can read. */
export function begin(pending: PendingAuthorization): string {
  const [oldest = ''] = begun.keys();
  if (begun.size >= BEGUN_MAX) begun.delete(oldest);
  const browser = randomUUID();
  begun.set(browser, pending);
  const safety = `HttpOnly; SameSite=Lax${appUrl.protocol === 'https:' ? '; Secure' : ''}`;
  return `browser=${browser}; Path=/; Max-Age=3600; ${safety}`;
}

/** Takes the approval that a browser has started. */
export function takeBegun(browser: string): PendingAuthorization | null {
  const pending = begun.get(browser) ?? null;
  begun.delete(browser);
  return pending;
}
