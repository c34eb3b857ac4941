import type { Language } from '../../pages/language.ts';
import type { AuditAction } from '../../shops/audit.ts';
import { actionMessages } from './messages.ts';

/** Where a sentence says whose access it is about. */
const SUBJECT_MARK = '{subject}';

/** The sentence of an action around its subject: what stands before and behind the name, quoted as the language does. */
export function sentenceOf(
  action: AuditAction,
  language: Language,
): { readonly before: string; readonly behind: string } {
  const [before = '', behind = ''] = actionMessages[language][action].split(SUBJECT_MARK);
  return language === 'ja'
    ? { before: `${before}「`, behind: `」${behind}` }
    : { before: `${before}“`, behind: `”${behind}` };
}
