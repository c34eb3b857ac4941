import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { appUrl } from './settings.ts';
import { readFact, writeFact } from './store.ts';

/** What a browser carries in a cookie once a member of the shop has approved in it. */
export const managerKey = readFact<string>('managerKey') ?? randomBytes(32).toString('hex');
writeFact('managerKey', managerKey);

/** A cookie of the request, or an empty text. */
export function readCookie({ headers }: IncomingMessage, name: 'pending' | 'manager'): string {
  const value = new RegExp(`(?:^|; )${name}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1] ?? '';
  return Buffer.from(value, 'base64url').toString();
}

/** A `Set-Cookie` for an hour, which no script can read. Lax, not Strict: the callback needs it. */
export function setCookie(name: 'pending' | 'manager', value: string): string {
  const safety = `HttpOnly; SameSite=Lax${appUrl.protocol === 'https:' ? '; Secure' : ''}`;
  return `${name}=${Buffer.from(value).toString('base64url')}; Path=/; Max-Age=3600; ${safety}`;
}

/** True for a browser in which a member of the shop has approved. */
export function isManager(request: IncomingMessage): boolean {
  const given = Buffer.from(readCookie(request, 'manager'));
  return given.length === managerKey.length && timingSafeEqual(given, Buffer.from(managerKey));
}
