import type { Language } from '../../pages/language.ts';
import type { FormFault } from '../parts/notes.ts';

export const WORDS: Readonly<Record<Language, string>> = {
  en: 'Enter a name of 1 to 200 characters that can be seen, without line breaks.',
  ja: '名前は 1〜200 文字で、改行や見えない文字なしで入力してください。',
};

const BUSY: Readonly<Record<Language, string>> = {
  en: 'Too many people are signing in. Try again in a moment.',
  ja: 'ただいま混み合っています。しばらくしてからもう一度お試しください。',
};

/** So many passwords are being checked that the new one has to wait. */
export function busyFault(language: Language): FormFault {
  return { field: null, text: BUSY[language] };
}

/** Why a new person's name is not taken. */
export function nameFault(language: Language): FormFault {
  return { field: 'name', text: WORDS[language] };
}
