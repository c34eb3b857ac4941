import { findEmailProblem } from '../base/plain-text.ts';
import { announce } from '../database/channel.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type AccountLanguage, normalizeEmail } from './account.ts';
import { type Actor, type AuditDetails, recordAudit } from './audit.ts';
import { renameShop } from './change-shop.ts';
import { isCurrency, type Shop } from './shop.ts';

/** The schema has the same limit (0032_shop_settings.sql). */
export const CONTACT_EMAILS_MAX = 10;

export interface ShopSettings {
  readonly name: string;
  /** The name of an IANA time zone. Null means the time zone of the oldest active site. */
  readonly timezone: string | null;
  readonly currency: string;
  /** The language of mails to people who have not chosen one. Null means both. */
  readonly language: AccountLanguage | null;
  /**
   * Additional recipients of mails about the health of apps, besides the members who manage apps.
   */
  readonly contactEmails: readonly string[];
}

export type ChangeSettingsResult =
  | 'changed'
  | 'unchanged'
  /** Units or buy boosts have amounts in the current currency. */
  | 'currency_in_use'
  | { readonly reason: string };

export async function findShopSettings(
  db: Queryable,
  shopId: string,
): Promise<ShopSettings | undefined> {
  return await db.one(selectShopSettings, [shopId]);
}

export async function lockShopSettings(
  tx: Transaction,
  shopId: string,
): Promise<ShopSettings | undefined> {
  return await tx.one(selectShopSettingsForUpdate, [shopId]);
}

/** True if the shop has neither units nor buy boosts, and so no amounts in its currency. */
export async function mayChangeCurrency(db: Queryable, shopId: string): Promise<boolean> {
  return (await db.one(selectHasAmounts, [shopId]))?.hasAmounts === false;
}

/** `before` is from `lockShopSettings`. `timezoneField` must have accepted the time zone. */
export async function changeShopSettings(
  tx: Transaction,
  shop: Shop,
  before: ShopSettings,
  change: Partial<ShopSettings>,
  now: Date,
  by: Actor,
): Promise<ChangeSettingsResult> {
  const after = { ...before, ...change };
  const reason = findSettingsProblem(after);
  if (reason !== null) return { reason };
  if (after.currency !== before.currency && !(await mayChangeCurrency(tx, shop.id))) {
    return 'currency_in_use';
  }
  const details = describeChange(before, after);
  const isRenamed = after.name !== before.name;
  if (isRenamed) {
    const refused = await renameShop(tx, { ...shop, name: before.name }, after.name, now, by);
    if (refused !== undefined) return refused;
  }
  if (Object.keys(details).length === 0) return isRenamed ? 'changed' : 'unchanged';
  const { timezone, currency, language, contactEmails, name } = after;
  await tx.query(updateShopSettings, [shop.id, timezone, currency, language, contactEmails]);
  await announce(tx, 'access', shop.id);
  const subject = { kind: 'shop', id: shop.id, name } as const;
  await recordAudit(tx, shop.id, by, { action: 'shop.changed', subject, details }, now);
  return 'changed';
}

function findSettingsProblem({ currency, contactEmails }: ShopSettings): string | null {
  if (!isCurrency(currency)) return 'currency must be an ISO 4217 code, such as JPY';
  const forms = new Set(contactEmails.map(normalizeEmail));
  if (contactEmails.length > CONTACT_EMAILS_MAX || forms.size < contactEmails.length) {
    return `there can be at most ${CONTACT_EMAILS_MAX} contact emails, all different`;
  }
  for (const email of contactEmails) {
    const problem = findEmailProblem('contact email', email);
    if (problem !== null) return problem;
  }
  return null;
}

function describeChange(before: ShopSettings, after: ShopSettings): AuditDetails {
  const { timezone, currency, language } = after;
  const from = before.contactEmails.join(', ');
  const to = after.contactEmails.join(', ');
  const change = (old: string | null, current: string | null): string =>
    `${old ?? '–'} → ${current ?? '–'}`;
  return {
    ...(timezone === before.timezone ? {} : { timezone: change(before.timezone, timezone) }),
    ...(currency === before.currency ? {} : { currency: change(before.currency, currency) }),
    ...(language === before.language ? {} : { language: change(before.language, language) }),
    ...(from === to ? {} : { contactEmail: change(from || null, to || null) }),
  };
}

const SETTINGS = `
  select name, timezone, currency, language, contact_emails as "contactEmails"
    from shop where shop_id = $1`;

export const selectShopSettings = statement<ShopSettings>('select_shop_settings', SETTINGS);

export const selectShopSettingsForUpdate = statement<ShopSettings>(
  'select_shop_settings_for_update',
  `${SETTINGS} for no key update`,
);

export const selectHasAmounts = statement<{ readonly hasAmounts: boolean }>(
  'select_shop_has_amounts',
  `select exists (select from unit where shop_id = $1)
       or exists (select from boost where shop_id = $1) as "hasAmounts"`,
);

export const updateShopSettings = statement(
  'update_shop_settings',
  `update shop set timezone = $2, currency = $3, language = $4, contact_emails = $5
    where shop_id = $1`,
);
