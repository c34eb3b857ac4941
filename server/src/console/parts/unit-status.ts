import type { UnitStatus } from '../../inventory/unit-status.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { badge, type Tone } from './badge.ts';
import { unitStatusMessages } from './messages/catalog.ts';

const TONES: Readonly<Record<UnitStatus, Tone>> = {
  in_stock: 'good',
  reserved: 'warn',
  in_transit: 'warn',
  grading: 'warn',
  sold: 'calm',
  returned: 'calm',
  written_off: 'calm',
  voided: 'bad',
};

export function statusName(status: UnitStatus, language: Language): string {
  return unitStatusMessages[language][status];
}

export function statusBadge(status: UnitStatus, language: Language): Markup {
  return badge(unitStatusMessages[language][status], TONES[status]);
}
