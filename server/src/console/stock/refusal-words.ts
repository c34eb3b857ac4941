import type { KnownChangeResult } from '../../inventory/known-units.ts';
import type { Language } from '../../pages/language.ts';
import { statusName } from '../parts/unit-status.ts';

/** The refusals of a change of a unit. */
export type ChangeRefusal = Exclude<KnownChangeResult, { readonly unitText: string }>;

/** Why a unit was not changed, in a sentence. The only table of these refusals. */
export function refusalText(refusal: ChangeRefusal, language: Language): string {
  switch (refusal.kind) {
    case 'forbidden_transition': {
      const [from, to] = [statusName(refusal.from, language), statusName(refusal.to, language)];
      return language === 'ja'
        ? `「${from}」から「${to}」には変更できません。`
        : `It cannot go from “${from}” to “${to}”.`;
    }
    case 'changed_meanwhile': {
      const now = statusName(refusal.row.status, language);
      return language === 'ja'
        ? `状態が「${now}」のため、変更しませんでした。`
        : `It was left alone: its status is “${now}”.`;
    }
    case 'unknown_reference':
      return language === 'ja'
        ? '場所・カード・グレードのいずれかが見つかりません。'
        : 'The place, the card or the grade is not known.';
    case 'not_found':
    case 'incomplete':
      return language === 'ja' ? 'この在庫品はありません。' : 'There is no such unit.';
  }
}
