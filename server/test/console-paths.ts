import type { ConsoleRoute } from '../src/console/routes.ts';
import type { HostileIds } from './hostile-shop.ts';

type Kind = keyof HostileIds;

/** What a parameter names: told by its own name, or by the part of the path before it. */
const KINDS: Readonly<Record<string, Kind>> = {
  ':clientId': 'app',
  ':secretId': 'secret',
  ':keyId': 'key',
  apps: 'app',
  boosts: 'boost',
  connections: 'connection',
  invitations: 'invitation',
  keys: 'key',
  locations: 'location',
  members: 'member',
  passkeys: 'passkey',
  places: 'site',
  sessions: 'session',
  sites: 'site',
  stock: 'unit',
  units: 'unit',
};

/** The kinds that a route names, in their order. Throws for a parameter that this test does not know yet. */
export function kindsOf({ path }: ConsoleRoute): readonly Kind[] {
  const parts = path.split('/');
  return parts.flatMap((part, index) => {
    if (!part.startsWith(':') || part === ':slug' || part === ':side') return [];
    const kind = KINDS[part] ?? KINDS[parts[index - 1] ?? ''];
    if (kind === undefined) throw new Error(`what does ${part} of ${path} name?`);
    return [kind];
  });
}

/** The address of a route with these ids, one for each of `kindsOf`. */
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

/** The address of a route of a shop that has one of everything. */
export function ownAddressOf(route: ConsoleRoute, slug: string, ids: HostileIds): string {
  const own = kindsOf(route).map((kind) => ids[kind]);
  return addressOf(route, slug, own);
}
