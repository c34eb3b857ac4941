import type { Language } from '../../html/language.ts';
import type { AttemptError } from '../../webhooks/attempt.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { Tone } from './badge.ts';
import { attemptMessages } from './messages/apps.ts';

/** The symbol for each result, for people who cannot distinguish the colors and shapes. */
export const RESULT_SYMBOLS: Readonly<Record<LoggedAttempt['result'], string>> = {
  delivered: '✓',
  failed: '✕',
  in_progress: '…',
};

export const RESULT_TONES: Readonly<Record<LoggedAttempt['result'], Tone>> = {
  delivered: 'good',
  failed: 'bad',
  in_progress: 'calm',
};

export function resultText(result: LoggedAttempt['result'], language: Language): string {
  return attemptMessages[language].result[result];
}

export function errorText(error: AttemptError, language: Language): string {
  return attemptMessages[language].error[error].what;
}

export function remedyText(error: AttemptError, language: Language): string {
  return attemptMessages[language].error[error].todo;
}
