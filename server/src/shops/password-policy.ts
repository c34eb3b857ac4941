import { findPasswordLengthProblem } from './password.ts';

export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/**
 * `common`: a very common password, or fewer than four different characters. `personal`: little
 * more than a word of the owner's name or email address, or the name of this service.
 */
export type PasswordProblem = 'too_short' | 'too_long' | 'common' | 'personal';

/** Good passwords often contain shorter words by chance. */
const WORD_CODE_POINTS_MIN = 4;
/** `hana2026!` is as easy to guess as `hana`. */
const ADDED_CODE_POINTS_MAX = 4;
const DIFFERENT_CHARACTERS_MIN = 4;
const SERVICE_NAME = 'cardport';

/**
 * Undefined if the password is accepted. NIST SP 800-63B §5.1.1.2, OWASP ASVS 2.1.7 (decision
 * 0213).
 */
export async function findPasswordProblem(
  password: string,
  owner: PasswordOwner,
): Promise<PasswordProblem | undefined> {
  const lengthProblem = findPasswordLengthProblem(password);
  if (lengthProblem !== undefined) return lengthProblem;
  const normalized = password.normalize('NFKC').toLowerCase();
  if (new Set(normalized).size < DIFFERENT_CHARACTERS_MIN) return 'common';
  if ((await loadCommonPasswords()).has(normalized)) return 'common';
  return isPersonal(normalized, owner) ? 'personal' : undefined;
}

function isPersonal(password: string, { email, name }: PasswordOwner): boolean {
  const letters = lettersOf(password);
  const texts = [SERVICE_NAME, email, name, ...email.split('@')];
  const words = [...texts, ...texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))].map(
    lettersOf,
  );
  return words.some(
    (word) =>
      lengthOf(word) >= WORD_CODE_POINTS_MIN &&
      letters.includes(word) &&
      lengthOf(letters) - lengthOf(word) <= ADDED_CODE_POINTS_MAX,
  );
}

/** So that `Hana.Kumo` and `hana kumo` are equal. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

let commonPasswords: Promise<ReadonlySet<string>> | null = null;

/**
 * zxcvbn-ts in lower case: 49,000 of the most common passwords, 18,000 with 8 characters or more.
 */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  // Loaded with the first new password: it takes 25 ms and about 5 MB.
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return await commonPasswords;
}
