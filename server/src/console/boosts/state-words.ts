import type { BoostStatus } from '../../boosts/boost-status.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { badge, type Tone } from '../parts/badge.ts';
import { boostStateMessages } from './messages/boost.ts';

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
  return badge(boostStateMessages[language][status], TONES[status]);
}
