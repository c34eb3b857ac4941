import type { ConnectionEnd } from '../../connections/connection.ts';
import type { ApprovalEnd } from '../../grants/approval.ts';
import type { Language } from '../../pages/language.ts';
import { connectionEndMessages } from './messages/connection.ts';

/** How a connection ended. */
export function endText(reason: ConnectionEnd, language: Language): string {
  return connectionEndMessages[language].connection[reason];
}

/** How an approval ended. */
export function approvalEndText(reason: ApprovalEnd, language: Language): string {
  return connectionEndMessages[language].approval[reason];
}
