import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PendingAuthorization } from '@cardport/client';
import { appUrl } from './settings.ts';

const PENDING_MAX = 1_000;
/** Pending authorizations by browser; each is valid for one callback. */
const pendingByBrowser = new Map<string, PendingAuthorization>();

/** Returns the random id in the browser's cookie, or an empty string. */
export function browserOf({ headers }: IncomingMessage): string {
  return /(?:^|; )browser=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
}

/** Stores a pending authorization. Returns a cookie for its browser that no script can read. */
export function storePending(pending: PendingAuthorization): string {
  const [oldest = ''] = pendingByBrowser.keys();
  if (pendingByBrowser.size >= PENDING_MAX) pendingByBrowser.delete(oldest);
  const browser = randomUUID();
  pendingByBrowser.set(browser, pending);
  const safety = `HttpOnly; SameSite=Lax${appUrl.protocol === 'https:' ? '; Secure' : ''}`;
  return `browser=${browser}; Path=/; Max-Age=3600; ${safety}`;
}

/** Returns and removes the pending authorization of a browser. */
export function takePending(browser: string): PendingAuthorization | null {
  const pending = pendingByBrowser.get(browser) ?? null;
  pendingByBrowser.delete(browser);
  return pending;
}
