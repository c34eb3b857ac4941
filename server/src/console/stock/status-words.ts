import type { UnitStatus } from '../../inventory/unit-status.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { badge, type Tone } from '../parts/badge.ts';

export const NAMES: Readonly<Record<Language, Readonly<Record<UnitStatus, string>>>> = {
  en: {
    in_stock: 'In stock',
    reserved: 'Reserved',
    in_transit: 'In transit',
    grading: 'At grading',
    sold: 'Sold',
    returned: 'Returned',
    written_off: 'Written off',
    voided: 'Voided',
  },
  ja: {
    in_stock: '在庫あり',
    reserved: '取り置き中',
    in_transit: '移送中',
    grading: '鑑定中',
    sold: '販売済み',
    returned: '返却済み',
    written_off: '廃棄済み',
    voided: '無効',
  },
};

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

/** What a button says that moves a unit to a status. */
const VERBS: Readonly<Record<Language, Readonly<Record<Exclude<UnitStatus, 'in_stock'>, string>>>> =
  {
    en: {
      reserved: 'Reserve',
      in_transit: 'Send in transit',
      grading: 'Send to grading',
      sold: 'Sell',
      returned: 'Mark as returned',
      written_off: 'Write off',
      voided: 'Void',
    },
    ja: {
      reserved: '取り置きにする',
      in_transit: '移送に出す',
      grading: '鑑定に出す',
      sold: '販売済みにする',
      returned: '返却する',
      written_off: '廃棄する',
      voided: '無効にする',
    },
  };

/** The same for the way back into stock, by where the unit comes from. */
const WAYS_BACK: Readonly<Record<Language, Readonly<Partial<Record<UnitStatus, string>>>>> = {
  en: {
    reserved: 'Release',
    in_transit: 'Mark as arrived',
    grading: 'Back from grading',
    sold: 'Undo the sale',
    written_off: 'Undo the write-off',
  },
  ja: {
    reserved: '取り置きを解除',
    in_transit: '到着済みにする',
    grading: '鑑定から戻す',
    sold: '販売を取り消す',
    written_off: '廃棄を取り消す',
  },
};

/** A status in the member's language. */
export function statusName(status: UnitStatus, language: Language): string {
  return NAMES[language][status];
}

/** A status with its colour. */
export function statusBadge(status: UnitStatus, language: Language): Markup {
  return badge(NAMES[language][status], TONES[status]);
}

/** What moving a unit from one status to the other is called. */
export function moveName(from: UnitStatus, to: UnitStatus, language: Language): string {
  if (to !== 'in_stock') return VERBS[language][to];
  return WAYS_BACK[language][from] ?? NAMES[language].in_stock;
}
