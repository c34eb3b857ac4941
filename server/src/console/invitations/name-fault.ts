import type { Language } from '../../pages/language.ts';
import type { FormFault } from '../parts/notes.ts';

const WORDS: Readonly<Record<Language, string>> = {
  en: 'A name has 1 to 200 characters and no line breaks.',
  ja: '名前は1〜200文字で、改行なしで入力してください。',
};

/** Why a new person's name is not taken. */
export function nameFault(language: Language): FormFault {
  return { field: 'name', text: WORDS[language] };
}
