import type { Readable } from 'node:stream';
import { findAccountByEmail } from '../shops/account.ts';
import { addMember, type MemberChange, setMember } from '../shops/member.ts';
import { hashPassword } from '../shops/password.ts';
import {
  findPasswordProblem,
  type PasswordProblem,
  type PasswordOwner,
} from '../shops/password-policy.ts';
import { isPermission, type Permission, PERMISSIONS } from '../shops/permission.ts';
import { replacePassword } from '../shops/password-reset.ts';
import type { Arguments, Command, CommandInput, CommandResult } from './command.ts';
import { shopCommand } from './shop.ts';
import { OPERATOR } from '../shops/audit.ts';

const permissionOption = {
  value: 'PERMISSION',
  meaning: `One of ${PERMISSIONS.join(', ')}; repeat the option for several. integrations.approve lets the member approve apps. These apps can read costs only if the member has inventory.cost, and boosts only if the member has purchases.read.`,
  isRepeatable: true,
} as const;
const emailOption = { value: 'EMAIL', meaning: 'The member’s e-mail address.', isRequired: true };

type Misuse = Extract<CommandResult, { kind: 'misused' }>;

/** `--permission` is given once for each permission, or once with an empty value for none. */
function readPermissions(args: Arguments): readonly Permission[] | Misuse {
  const words = args.list('permission').filter((word) => word !== '');
  const permissions = words.filter(isPermission);
  const unknown = words.find((word) => !isPermission(word));
  if (unknown === undefined) return permissions;
  const reason = `"${unknown}" is not a permission. The permissions are ${PERMISSIONS.join(', ')}`;
  return { kind: 'misused', reason };
}

export const memberAdd: Command = shopCommand({
  name: 'member add',
  summary:
    'Add a member to a shop. A person who already has an account keeps their name and password.',
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
    const result = await db.transaction(
      async (tx) => await addMember(tx, shop.id, person, clock.now(), OPERATOR),
    );
    switch (result.kind) {
      case 'added': {
        const json = { id: result.member.account.id, email: result.member.account.email };
        return { kind: 'done', json, text: `Added ${json.email} (${json.id}).` };
      }
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
    'Change a member. The given permissions replace all existing ones. If only --shop and --email are given, the member loses all permissions.',
  options: {
    email: emailOption,
    permission: permissionOption,
    deactivate: { meaning: 'Deactivate the member. Their approvals stop working.' },
    activate: { meaning: 'Reactivate the member.' },
    'password-stdin': {
      meaning:
        'Read a new password from the first line of standard input. Removes the passkeys and signs the member out everywhere.',
    },
  },
  input: { switch: 'password-stdin' },
  async run(args, { db, clock, shop }, input) {
    const permissions = readPermissions(args);
    if ('kind' in permissions) return permissions;
    const email = args.text('email');
    const isGiven = args.has('password-stdin');
    const account = isGiven ? await findAccountByEmail(db, email) : undefined;
    const owner = { email, name: account?.name ?? '' };
    const password = isGiven ? await readPassword(input, owner) : null;
    if (typeof password === 'object' && password !== null) return password;
    const changesActivity = args.has('activate') || args.has('deactivate');
    if (args.has('activate') && args.has('deactivate')) {
      return { kind: 'misused', reason: '--activate and --deactivate cannot be used together' };
    }
    const change: MemberChange = {
      ...(args.has('permission') || (!changesActivity && password === null) ? { permissions } : {}),
      ...(changesActivity ? { isActive: args.has('activate') } : {}),
    };
    const passwordHash = password === null ? null : await hashPassword(password);
    const now = clock.now();
    let passkeys = 0;
    const member = await db.transaction(async (tx) => {
      const account = await findAccountByEmail(tx, email);
      if (account === undefined) return undefined;
      const set = await setMember(tx, shop.id, account.id, change, now, OPERATOR);
      if (set !== undefined && passwordHash !== null) {
        passkeys = await replacePassword(tx, set.account.id, passwordHash, now, OPERATOR);
      }
      return set;
    });
    if (member === undefined) {
      return {
        kind: 'failed',
        code: 'not_found',
        reason: `${email} is not a member of ${shop.slug}`,
      };
    }
    const json = {
      id: member.account.id,
      email: member.account.email,
      permissions: member.permissions,
      isActive: member.isActive,
      ...(passwordHash === null ? {} : { removedPasskeys: passkeys }),
    };
    const state = member.isActive ? 'active' : 'inactive';
    const list = member.permissions.join(', ') || 'no permissions';
    const text = `${json.email} is ${state} and has ${list}.`;
    return {
      kind: 'done',
      json,
      text: passwordHash === null ? text : `${text} ${describePasswordReset(passkeys)}`,
    };
  },
});

function describePasswordReset(passkeys: number): string {
  const removed = passkeys === 1 ? '1 passkey was removed' : `${passkeys} passkeys were removed`;
  return `The password was replaced, ${removed}, and every browser was signed out.`;
}
