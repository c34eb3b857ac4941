import { findEmailFault, findTextFault } from '../base/plain-text.ts';
import { announce } from '../database/channel.ts';
import { type Queryable, StaleRead, type Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Account, createAccount, emailForm, findAccountByEmail } from './account.ts';
import type { Permission } from './permission.ts';

/** An account in a shop. */
export interface Member {
  readonly shopId: string;
  readonly account: Account;
  readonly permissions: readonly Permission[];
  /** False: may not sign in to this shop, and every call with a token of this member's approvals is forbidden. */
  readonly isActive: boolean;
}

/** Who becomes a member. The password's hash is used only when the e-mail address is new to the service. */
export interface NewMember {
  readonly email: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly passwordHash: string | null;
}

export type AddMemberResult =
  | { readonly kind: 'added'; readonly member: Member }
  | { readonly kind: 'already_member' }
  | { readonly kind: 'password_needed' }
  | { readonly kind: 'invalid'; readonly reason: string };

/** What changes of a member; what is missing stays. `permissions` replaces the whole set. */
export interface MemberChange {
  readonly permissions?: readonly Permission[];
  readonly isActive?: boolean;
}

/** Bound of the schema (0001_shops.sql). */
const NAME_CODE_POINTS_MAX = 200;

/**
 * Makes a person a member of a shop. A known e-mail address keeps its account, name and password; a new one needs a
 * password. Announces the change of access with the transaction.
 */
export async function addMember(
  tx: Transaction,
  shopId: string,
  person: NewMember,
  now: Date,
): Promise<AddMemberResult> {
  const reason =
    findEmailFault('e-mail', person.email) ??
    findTextFault('name', person.name, NAME_CODE_POINTS_MAX);
  if (reason !== null) return { kind: 'invalid', reason };
  // Small letters may be more than capital ones.
  if (emailForm(person.email) === undefined) {
    return { kind: 'invalid', reason: 'e-mail is longer than 254 characters' };
  }
  const account = await findOrCreateAccount(tx, person, now);
  if (account === undefined) return { kind: 'password_needed' };
  const permissions = [...new Set(person.permissions)];
  const added = await tx.count(insertMember, [shopId, account.id, permissions, now]);
  if (added === 0) return { kind: 'already_member' };
  await announce(tx, 'access', shopId);
  return { kind: 'added', member: { shopId, account, permissions, isActive: true } };
}

async function findOrCreateAccount(
  tx: Transaction,
  { email, name, passwordHash }: NewMember,
  now: Date,
): Promise<Account | undefined> {
  const known = await findAccountByEmail(tx, email);
  if (known !== undefined) return { id: known.id, email: known.email, name: known.name };
  if (passwordHash === null) return undefined;
  const created = await createAccount(tx, { email, name, passwordHash }, now);
  // Another transaction made the same account meanwhile: the next run finds it.
  if (created === undefined) throw new StaleRead('the account was made meanwhile');
  return created;
}

/** Changes a member's permissions or activity and announces it; undefined when the account is no member of the shop. */
export async function setMember(
  tx: Transaction,
  shopId: string,
  accountId: string,
  change: MemberChange,
  now: Date,
): Promise<Member | undefined> {
  const permissions = change.permissions === undefined ? null : [...new Set(change.permissions)];
  const isActive = change.isActive ?? null;
  const changed = await tx.count(updateMember, [shopId, accountId, permissions, isActive, now]);
  if (changed === 0) return undefined;
  await announce(tx, 'access', shopId);
  return await findMember(tx, shopId, accountId);
}

/** The member that an account is in a shop, inactive ones included, or undefined. */
export async function findMember(
  db: Queryable,
  shopId: string,
  accountId: string,
): Promise<Member | undefined> {
  const row = await db.one(selectMember, [shopId, accountId]);
  if (row === undefined) return undefined;
  const { permissions, isActive, ...account } = row;
  return { shopId, account, permissions, isActive };
}

export const insertMember = statement(
  'insert_member',
  `insert into member (shop_id, account_id, permissions, is_active, created_at, updated_at)
   values ($1, $2, $3, true, $4, $4)
   on conflict (shop_id, account_id) do nothing`,
);

export const updateMember = statement(
  'update_member',
  `update member set permissions = coalesce($3::text[], permissions),
          is_active = coalesce($4::boolean, is_active), updated_at = $5
    where shop_id = $1 and account_id = $2`,
);

export const selectMember = statement<
  Account & { readonly permissions: Permission[]; readonly isActive: boolean }
>(
  'select_member',
  `select a.account_id as id, a.email, a.name, m.permissions, m.is_active as "isActive"
     from member m join account a on a.account_id = m.account_id
    where m.shop_id = $1 and m.account_id = $2`,
);
