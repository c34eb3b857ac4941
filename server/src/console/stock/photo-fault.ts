import type { Language } from '../../pages/language.ts';
import { photoFaultMessages } from './messages/unit.ts';

/** Why an upload was not taken. */
export type PhotoFaultKind =
  | 'empty'
  | 'too_large'
  | 'heic'
  | 'unsupported'
  | 'unreadable'
  | 'again';

/** The sentence for the person who sent it. */
export function photoFaultText(kind: PhotoFaultKind, language: Language): string {
  return photoFaultMessages[language][kind];
}
