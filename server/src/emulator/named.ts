import { FIXED_SHOPS, type FixedApp, type FixedMember, type FixedShop } from './fixed.ts';

/** What a call names cannot be found, or cannot be done: 422, with a sentence for the developer. */
export interface Unfit {
  readonly kind: 'unfit';
  readonly detail: string;
}

/** An app with its shop. */
export interface NamedApp {
  readonly kind: 'app';
  readonly shop: FixedShop;
  readonly app: FixedApp;
}

/** The app of a client id; the first shop's first one when none is named. */
export function findNamedApp(clientId: string | undefined): NamedApp | Unfit {
  const [first] = FIXED_SHOPS;
  if (clientId === undefined) return { kind: 'app', shop: first, app: first.apps[0] };
  for (const shop of FIXED_SHOPS) {
    const app = shop.apps.find((each) => each.clientId === clientId);
    if (app !== undefined) return { kind: 'app', shop, app };
  }
  return { kind: 'unfit', detail: `The emulator has no app ${JSON.stringify(clientId)}.` };
}

/** The member of a shop by e-mail; its first one when none is named. */
export function findNamedMember(
  shop: FixedShop,
  email: string | undefined,
): { readonly kind: 'member'; readonly member: FixedMember } | Unfit {
  const member =
    email === undefined ? shop.members[0] : shop.members.find((each) => each.email === email);
  if (member !== undefined) return { kind: 'member', member };
  const detail = `The shop ${shop.slug} has no member ${JSON.stringify(email)}.`;
  return { kind: 'unfit', detail };
}

/** The shop of a slug; the first one when none is named. */
export function findNamedShop(
  slug: string | undefined,
): { readonly kind: 'shop'; readonly shop: FixedShop } | Unfit {
  const shop = slug === undefined ? FIXED_SHOPS[0] : FIXED_SHOPS.find((each) => each.slug === slug);
  if (shop !== undefined) return { kind: 'shop', shop };
  return { kind: 'unfit', detail: `The emulator has no shop ${JSON.stringify(slug)}.` };
}
