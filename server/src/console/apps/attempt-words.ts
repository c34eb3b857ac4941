import type { Language } from '../../pages/language.ts';
import type { AttemptError } from '../../webhooks/attempt.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { Tone } from '../parts/badge.ts';
import { attemptMessages } from './messages/attempt.ts';

/** How each result is marked: a letter beside the colour and the shape, so that none is alone. */
export const MARKS: Readonly<Record<LoggedAttempt['result'], string>> = {
  delivered: '✓',
  failed: '✕',
  in_progress: '…',
};

/** The tone of a result. */
export const RESULT_TONES: Readonly<Record<LoggedAttempt['result'], Tone>> = {
  delivered: 'good',
  failed: 'bad',
  in_progress: 'calm',
};

/** What came of an attempt, in a word. */
export function resultText(result: LoggedAttempt['result'], language: Language): string {
  return attemptMessages[language].result[result];
}

/** What went wrong, in a sentence. */
export function errorText(error: AttemptError, language: Language): string {
  return attemptMessages[language].error[error].what;
}

/** What to do about it, in a sentence. */
export function remedyText(error: AttemptError, language: Language): string {
  return attemptMessages[language].error[error].todo;
}
