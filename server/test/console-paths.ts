import type { ConsoleRoute } from '../src/console/routes.ts';
import type { HostileIds } from './hostile-shop.ts';

type Kind = keyof HostileIds;

/**
 * The kind of object that a route parameter identifies, by the name of the parameter or the path
 * segment before it.
 */
const KINDS: Readonly<Record<string, Kind>> = {
  ':clientId': 'app',
  ':secretId': 'secret',
  ':keyId': 'key',
  apps: 'app',
  boosts: 'boost',
  connections: 'connection',
  import: 'stockImport',
  invitations: 'invitation',
  // These paths contain an invitation's id instead of a secret, so the reset link is invalid.
  reset: 'invitation',
  keys: 'key',
  locations: 'location',
  members: 'member',
  passkeys: 'passkey',
  places: 'site',
  receipts: 'receipt',
  sessions: 'session',
  sites: 'site',
  stock: 'unit',
  units: 'unit',
};

/** Returns the object kinds in a route, in order. Throws for an unknown parameter. */
export function objectKindsOf({ path }: ConsoleRoute): readonly Kind[] {
  const parts = path.split('/');
  return parts.flatMap((part, index) => {
    if (!part.startsWith(':') || part === ':slug' || part === ':side') return [];
    const kind = KINDS[part] ?? KINDS[parts[index - 1] ?? ''];
    if (kind === undefined) throw new Error(`unknown parameter ${part} in ${path}`);
    return [kind];
  });
}

/** Returns the address of a route with these ids, in the order of `objectKindsOf`. */
export function addressOf(route: ConsoleRoute, slug: string, ids: readonly string[]): string {
  let next = 0;
  return route.path
    .split('/')
    .map((part) => {
      if (!part.startsWith(':')) return part;
      if (part === ':slug') return slug;
      return part === ':side' ? 'front' : (ids[next++] ?? '');
    })
    .join('/');
}

/** Returns the address of a route in a shop that has one object of each kind. */
export function ownAddressOf(route: ConsoleRoute, slug: string, ids: HostileIds): string {
  const own = objectKindsOf(route).map((kind) => ids[kind]);
  return addressOf(route, slug, own);
}
