import type { Readable } from 'node:stream';
import type { Queryable, Transaction } from '../database/database.ts';
import { type Account, findAccountByEmail } from '../shops/account.ts';
import { lockManagers } from '../shops/manager-refusal.ts';
import { addMember, findMember, type Member, setMember } from '../shops/member.ts';
import { hashPassword } from '../shops/password.ts';
import {
  findPasswordProblem,
  type PasswordProblem,
  type PasswordOwner,
} from '../shops/password-policy.ts';
import { isPermission, type Permission, PERMISSIONS } from '../shops/permission.ts';
import { replacePassword } from '../shops/password-reset.ts';
import { listShopsOfAccount } from '../shops/shop-list.ts';
import { listSignInRecords } from '../shops/sign-in-record.ts';
import type { Arguments, Command, CommandInput, CommandResult } from './command.ts';
import { CONFIRM_OPTIONS, confirmChange, previewChange } from './confirm.ts';
import { shopCommand } from './shop.ts';
import { OPERATOR } from '../shops/audit.ts';

const permissionOption = {
  value: 'PERMISSION',
  meaning: `One of ${PERMISSIONS.join(', ')}; repeat the option for several. integrations.approve lets the member approve apps. These apps can read costs only if the member has inventory.cost, and boosts only if the member has purchases.read.`,
  isRepeatable: true,
} as const;
const emailOption = { value: 'EMAIL', meaning: 'The member’s e-mail address.', isRequired: true };

type Misuse = Extract<CommandResult, { kind: 'misused' }>;

/** The option is given once for each permission. An empty `--permission` means none. */
function readPermissions(
  args: Arguments,
  option: (typeof PERMISSION_OPTIONS)[number] = 'permission',
): readonly Permission[] | Misuse {
  const words = args.list(option).filter((word) => option !== 'permission' || word !== '');
  const permissions = words.filter(isPermission);
  const unknown = words.find((word) => !isPermission(word));
  if (unknown === undefined) return permissions;
  const reason = `"${unknown}" is not a permission. The permissions are ${PERMISSIONS.join(', ')}`;
  return { kind: 'misused', reason };
}

export const memberAdd: Command = shopCommand({
  name: 'member add',
  summary:
    'Add a member to a shop. A person who already has an account keeps their name and password: leave out --password-stdin.',
  options: {
    email: emailOption,
    name: { value: 'NAME', meaning: 'The name of the person.', isRequired: true },
    permission: permissionOption,
    'password-stdin': {
      meaning:
        'Read the password from the first line of standard input. Required for a new person.',
    },
  },
  input: { switch: 'password-stdin' },
  async run(args, { db, clock, shop }, input) {
    const permissions = readPermissions(args);
    if ('kind' in permissions) return permissions;
    const email = args.text('email');
    const owner = { email, name: args.text('name') };
    const password = args.has('password-stdin') ? await readPassword(input, owner) : null;
    if (typeof password === 'object' && password !== null) return password;
    const passwordHash = password === null ? null : await hashPassword(password);
    const person = { ...owner, permissions, passwordHash };
    const { known, result } = await db.transaction(async (tx) => {
      const known = await findAccountByEmail(tx, email);
      if (known !== undefined && passwordHash !== null) return { known, result: null };
      return { known, result: await addMember(tx, shop.id, person, clock.now(), OPERATOR) };
    });
    const account = known === undefined ? '' : await describeAccount(db, known);
    switch (result?.kind) {
      case undefined: {
        const reason = `${email} already has an account: leave out --password-stdin. ${account}`;
        return { kind: 'failed', code: 'already_exists', reason };
      }
      case 'added': {
        const { id, email, name } = result.member.account;
        const text = [`Added ${email} (${id}).`, account].join(' ').trim();
        return { kind: 'done', json: { id, email, name, isNew: known === undefined }, text };
      }
      case 'address_unproved':
        return { kind: 'failed', code: 'not_allowed', reason: `${email} ${UNPROVED}. ${account}` };
      case 'already_member':
        return {
          kind: 'failed',
          code: 'already_exists',
          reason: `${email} is already a member: use member set`,
        };
      case 'password_needed':
        return {
          kind: 'misused',
          reason: `${email} has no account yet: give a password with --password-stdin`,
        };
      case 'invalid':
        return { kind: 'misused', reason: result.reason };
    }
  },
});

const UNPROVED =
  'may belong to someone else: nobody has shown that the account is of the owner of the address. First let the person set a new password with a link from “Forgot your password?”, or set one with member set --password-stdin in a shop of the account, and give it only to the owner. Both sign the account out everywhere and remove its passkeys. It stays a member of its shops: deactivate it where it should not be one';

/** Describes an account that exists, so that the operator can tell whose it is. */
async function describeAccount(db: Queryable, { id, name }: Account): Promise<string> {
  const shops = (await listShopsOfAccount(db, id)).map(({ slug }) => slug).join(', ');
  const signIns = await listSignInRecords(db, id);
  const last = signIns.find(({ outcome }) => outcome === 'signed_in')?.lastAt.toISOString();
  const when = last === undefined ? 'has not signed in recently' : `last signed in at ${last}`;
  return `The account has the name “${name}” and its own password, ${when}, and works in: ${shops || 'no shop'}`;
}

/** The maximum number of bytes read, to limit memory. Passwords are much shorter. */
const PASSWORD_INPUT_BYTES_MAX = 4_096;

const PASSWORD_PROBLEMS: Readonly<Record<PasswordProblem, string>> = {
  too_short: 'the password must have at least 8 characters',
  too_long: 'the password must have at most 1,024 bytes',
  common: 'the password is too easy to guess: choose another one',
  personal:
    'the password is too similar to the person’s name or e-mail address, or to the name of this service: choose another one',
};

/** Returns the first line of the input if it is an acceptable password for this member. */
async function readPassword(
  { bytes }: CommandInput,
  owner: PasswordOwner,
): Promise<string | Misuse> {
  const line = await readFirstLine(bytes);
  const password = line.toString('utf8').replace(/\r$/, '');
  const isTooLong = line.length > PASSWORD_INPUT_BYTES_MAX;
  const fault = isTooLong ? 'too_long' : await findPasswordProblem(password, owner);
  return fault === undefined ? password : { kind: 'misused', reason: PASSWORD_PROBLEMS[fault] };
}

/**
 * Returns the bytes before the first newline, or the beginning of a line that is too long. Does not
 * read the rest.
 */
async function readFirstLine(bytes: Readable): Promise<Buffer> {
  let line: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const part: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    const end = part.indexOf('\n');
    line = Buffer.concat([line, end < 0 ? part : part.subarray(0, end)]);
    if (end >= 0 || line.length > PASSWORD_INPUT_BYTES_MAX) break;
  }
  return line;
}

export const memberSet: Command = shopCommand({
  name: 'member set',
  summary:
    'Change a member. Anything not named by an option stays unchanged. --permission replaces all permissions.',
  options: {
    email: emailOption,
    permission: permissionOption,
    'add-permission': { ...permissionOption, meaning: 'A permission to add.' },
    'remove-permission': { ...permissionOption, meaning: 'A permission to remove.' },
    'no-permissions': { meaning: 'Remove all permissions.' },
    deactivate: { meaning: 'Deactivate the member. Their approvals stop working.' },
    activate: { meaning: 'Reactivate the member.' },
    'password-stdin': {
      meaning:
        'Read a new password from the first line of standard input. Removes the passkeys and signs the member out everywhere. It also confirms the e-mail address, so give the password only to its owner.',
    },
    ...CONFIRM_OPTIONS,
  },
  input: { switch: 'password-stdin' },
  async run(args, { db, clock, shop }, input) {
    const changePermissions = readPermissionChange(args);
    if (typeof changePermissions === 'object') return changePermissions;
    const email = args.text('email');
    const account = await findAccountByEmail(db, email);
    const before = account && (await findMember(db, shop.id, account.id));
    if (before === undefined) {
      const reason = `${email} is not a member of ${shop.slug}`;
      return { kind: 'failed', code: 'not_found', reason };
    }
    const owner = { email, name: before.account.name };
    const password = args.has('password-stdin') ? await readPassword(input, owner) : null;
    if (typeof password === 'object' && password !== null) return password;
    const passwordHash = password === null ? null : await hashPassword(password);
    const now = clock.now();
    const change = async (tx: Transaction): Promise<ChangedMember> => {
      const managers = await tx.query(lockManagers, [shop.id]);
      const stored = (await findMember(tx, shop.id, before.account.id)) ?? before;
      const permissions = changePermissions(stored.permissions);
      const isActive = args.has('activate') || (stored.isActive && !args.has('deactivate'));
      const set = await setMember(
        tx,
        shop.id,
        stored.account.id,
        { permissions, isActive },
        now,
        OPERATOR,
      );
      const passkeys =
        passwordHash === null
          ? null
          : await replacePassword(tx, stored.account.id, passwordHash, true, now, OPERATOR);
      const [only, other] = managers;
      const isLastManager = only?.accountId === stored.account.id && other === undefined;
      const remains = isActive && permissions.includes('members.manage');
      return {
        before: stored,
        after: set ?? stored,
        passkeys,
        endsManagement: isLastManager && !remains,
      };
    };
    const planned = await previewChange(db, change);
    if (planned.endsManagement || args.has('dry-run')) {
      const stopped = await confirmChange(args, input, {
        json: { id: before.account.id, email: before.account.email },
        effects: effectsOf(planned),
        sentence: describeMember(planned, 'would be'),
        act: 'change the member',
      });
      if (stopped !== null) return stopped;
    }
    const changed = await db.transaction(change);
    const { account: owned, permissions, isActive } = changed.after;
    const json = { id: owned.id, email: owned.email, permissions, isActive };
    return {
      kind: 'done',
      json: { ...json, ...effectsOf(changed) },
      text: describeMember(changed, 'is'),
    };
  },
});

interface ChangedMember {
  readonly before: Member;
  readonly after: Member;
  /** The number of removed passkeys, or null if the password stays. */
  readonly passkeys: number | null;
  /** The shop has no active member left who may manage members. */
  readonly endsManagement: boolean;
}

type ChangePermissions = (before: readonly Permission[]) => readonly Permission[];

const PERMISSION_OPTIONS = ['permission', 'add-permission', 'remove-permission'] as const;

/** Returns how the options change the permissions. Without any change, the command is misused. */
function readPermissionChange(args: Arguments): ChangePermissions | Misuse {
  const misuse = (reason: string): Misuse => ({ kind: 'misused', reason });
  const [given, added, removed] = PERMISSION_OPTIONS.map((name) => readPermissions(args, name));
  for (const read of [given, added, removed]) {
    if (read !== undefined && 'kind' in read) return read;
  }
  const [all, more, less] = [given, added, removed].map((read) => read as readonly Permission[]);
  const replaces = args.has('permission') || args.has('no-permissions');
  const adjusts = args.has('add-permission') || args.has('remove-permission');
  if (replaces && (adjusts || (args.has('permission') && args.has('no-permissions')))) {
    return misuse(
      'use --permission, or --no-permissions, or --add-permission and --remove-permission',
    );
  }
  if (args.has('activate') && args.has('deactivate')) {
    return misuse('--activate and --deactivate cannot be used together');
  }
  if (more?.some((each) => less?.includes(each) === true) === true) {
    return misuse('a permission cannot be added and removed together');
  }
  const others = ['activate', 'deactivate', 'password-stdin'].some((name) => args.has(name));
  if (!replaces && !adjusts && !others) {
    return misuse(
      'nothing to change: give the permissions, --activate, --deactivate or --password-stdin',
    );
  }
  if (replaces) return () => all ?? [];
  return (before) => [...before, ...(more ?? [])].filter((each) => less?.includes(each) !== true);
}

function effectsOf({ before, after, passkeys, endsManagement }: ChangedMember): object {
  return {
    addedPermissions: after.permissions.filter((each) => !before.permissions.includes(each)),
    removedPermissions: before.permissions.filter((each) => !after.permissions.includes(each)),
    wasActive: before.isActive,
    endsManagement,
    ...(passkeys === null ? {} : { removedPasskeys: passkeys }),
  };
}

function describeMember(
  { before, after, passkeys, endsManagement }: ChangedMember,
  verb: 'is' | 'would be',
): string {
  const render = ({ permissions, isActive }: Member): string =>
    `${isActive ? 'active' : 'inactive'} with ${permissions.join(', ') || 'no permissions'}`;
  const [was, is] = [render(before), render(after)];
  const earlier = was === is ? '' : `; before: ${was}`;
  const lines = [`${after.account.email} ${verb} ${is}${earlier}.`];
  if (endsManagement) lines.push('The shop then has no active member who may manage members.');
  if (passkeys !== null) lines.push(describePasswordReset(passkeys, verb));
  return lines.join(' ');
}

function describePasswordReset(passkeys: number, verb: 'is' | 'would be'): string {
  return `The password ${verb} replaced, ${passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`} removed, and every browser signed out.`;
}
