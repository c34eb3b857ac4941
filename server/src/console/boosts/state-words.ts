import type { BoostStatus } from '../../boosts/boost-status.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { badge, type Tone } from '../parts/badge.ts';

/** What each state is called. */
export const STATE_WORDS: Readonly<Record<Language, Readonly<Record<BoostStatus, string>>>> = {
  en: {
    open: 'Open',
    filled: 'Filled',
    scheduled: 'Scheduled',
    paused: 'Paused',
    expired: 'Expired',
    ended: 'Ended',
  },
  ja: {
    open: '受付中',
    filled: '上限到達',
    scheduled: '開始前',
    paused: '一時停止中',
    expired: '期限切れ',
    ended: '終了',
  },
};

const TONES: Readonly<Record<BoostStatus, Tone>> = {
  open: 'good',
  filled: 'warn',
  scheduled: 'calm',
  paused: 'warn',
  expired: 'calm',
  ended: 'calm',
};

/** The state of a boost in a word. */
export function stateBadge(status: BoostStatus, language: Language): Markup {
  return badge(STATE_WORDS[language][status], TONES[status]);
}
