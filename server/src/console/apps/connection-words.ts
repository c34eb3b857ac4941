import type { ConnectionEnd } from '../../connections/connection.ts';
import type { ApprovalEnd } from '../../grants/approval.ts';
import type { Language } from '../../pages/language.ts';
import { connectionEndMessages } from './messages/connection.ts';

export function endText(reason: ConnectionEnd, language: Language): string {
  return connectionEndMessages[language].connection[reason];
}

export function approvalEndText(reason: ApprovalEnd, language: Language): string {
  return connectionEndMessages[language].approval[reason];
}
