import type { Language } from '../../pages/language.ts';
import type { AuditEntry } from '../../shops/audit-log.ts';
import { sentenceOf } from './action-words.ts';
import { actorKindMessages } from './messages.ts';

type ActorKind = AuditEntry['actor']['kind'];

/** What kind of actor it is. */
export function actorKindWords(kind: ActorKind, language: Language): string {
  return actorKindMessages[language][kind];
}

/** Who it was: the name of that time, or the kind where there is none. */
export function actorName({ kind, name }: AuditEntry['actor'], language: Language): string {
  return name === null || name === '' ? actorKindWords(kind, language) : name;
}

/** Whose access it was about: the name of that time, or its id where it had none. */
export function subjectName({ name, id }: AuditEntry['subject']): string {
  return name === null || name === '' ? id : name;
}

/** The whole sentence as text. */
export function describeAction({ action, subject }: AuditEntry, language: Language): string {
  const { before, behind } = sentenceOf(action, language);
  return `${before}${subjectName(subject)}${behind}`;
}
