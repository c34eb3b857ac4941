import type { Transaction } from '../database/database.ts';
import { type Account, type AccountLanguage, setAccountLanguage } from './account.ts';
import { OPERATOR, recordAudit } from './audit.ts';
import { addMember } from './member.ts';
import { PERMISSIONS } from './permission.ts';
import { isSetupOpen, consumeSetupCode } from './setup-code.ts';
import { changeShopSettings, lockShopSettings } from './shop-settings.ts';
import { createShop, type Shop, SLUG_LENGTH_MAX } from './shop.ts';

/** The first shop and its owner, with values that the page has checked. */
export interface FirstShop {
  readonly code: string;
  readonly shopName: string;
  /** Null derives the slug from the name. */
  readonly slug: string | null;
  readonly timezone: string | null;
  readonly ownerName: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly language: AccountLanguage;
}

export type SetUpShopResult =
  | { readonly kind: 'set_up'; readonly shop: Shop; readonly owner: Account }
  | { readonly kind: 'wrong_code' }
  /** There is already a shop or an account. */
  | { readonly kind: 'closed' };

/** The default currency of `cardport shop add`. The owner can change it until there is stock. */
const CURRENCY = 'JPY';

/** The audit log names the operator, because the code is printed only where operators read it. */
export async function setUpShop(
  tx: Transaction,
  first: FirstShop,
  now: Date,
): Promise<SetUpShopResult> {
  const isRight = await consumeSetupCode(tx, first.code, now);
  // Check this after the code is locked, to notice a shop that a concurrent set-up has created.
  if (!(await isSetupOpen(tx))) return { kind: 'closed' };
  if (!isRight) return { kind: 'wrong_code' };
  const { shopName: name, slug, timezone, ownerName, email, passwordHash, language } = first;
  const created = await createShop(
    tx,
    { name, slug: slug ?? slugOf(name), currency: CURRENCY },
    now,
  );
  if (created.kind !== 'created') throw new Error(`the first shop was refused: ${created.kind}`);
  const { shop } = created;
  const subject = { kind: 'shop', id: shop.id, name } as const;
  await recordAudit(tx, shop.id, OPERATOR, { action: 'shop.set_up', subject }, now);
  const settings = await lockShopSettings(tx, shop.id);
  if (settings === undefined) throw new Error('the shop was created, but cannot be found');
  await changeShopSettings(tx, shop, settings, { timezone }, now, OPERATOR);
  const person = { email, name: ownerName, permissions: PERMISSIONS, passwordHash };
  const added = await addMember(tx, shop.id, person, now, OPERATOR);
  if (added.kind !== 'added') throw new Error(`the first owner was refused: ${added.kind}`);
  const { account } = added.member;
  await setAccountLanguage(tx, account.id, language);
  return { kind: 'set_up', shop, owner: { ...account, language } };
}

/** Returns a slug from the ASCII letters and digits of a name, or `shop` if it has none. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, SLUG_LENGTH_MAX).replace(/-$/, '') || 'shop';
}
