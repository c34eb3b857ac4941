import { findPasswordLengthProblem } from './password.ts';

export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/**
 * Why a password is refused. `common` is a very common password, or one with fewer than four
 * different characters. `personal` is a word of the owner's name or email address, or the name of
 * this service, with at most a few more characters.
 */
export type PasswordProblem = 'too_short' | 'too_long' | 'common' | 'personal';

/** Shorter words are ignored, because good passwords often contain them by chance. */
const WORD_CODE_POINTS_MIN = 4;
/** A word plus up to this many characters is refused: `hana2026!` is as weak as `hana`. */
const ADDED_CODE_POINTS_MAX = 4;
const DIFFERENT_CHARACTERS_MIN = 4;
const SERVICE_NAME = 'cardport';

/**
 * Returns why a password is refused, or undefined if it is accepted (NIST SP 800-63B §5.1.1.2,
 * OWASP ASVS 2.1.7, decision 0213).
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

/** Returns only letters and digits, so that `Hana.Kumo` and `hana kumo` are equal. */
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

/** 49,000 common passwords in lower case, 18,000 of them with 8 characters or more (zxcvbn-ts). */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  // The list is loaded with the first new password, because that takes 25 ms and about 5 MB.
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return await commonPasswords;
}
