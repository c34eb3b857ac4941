import type { ExistingUnitResult } from '../../inventory/existing-units.ts';
import type { Language } from '../../html/language.ts';
import { statusName } from '../parts/unit-status.ts';

/** The reasons why a change of a unit is refused. */
export type ChangeRefusal = Exclude<ExistingUnitResult, { readonly unitText: string }>;

/** Returns a sentence that says why a unit was not changed. */
export function refusalText(refusal: ChangeRefusal, language: Language): string {
  switch (refusal.kind) {
    case 'forbidden_transition': {
      const [from, to] = [statusName(refusal.from, language), statusName(refusal.to, language)];
      return language === 'ja'
        ? `「${from}」から「${to}」には変更できません。`
        : `The status cannot change from “${from}” to “${to}”.`;
    }
    case 'changed_meanwhile': {
      const now = statusName(refusal.row.status, language);
      return language === 'ja'
        ? `ステータスが「${now}」に変わっていたため、変更しませんでした。`
        : `Not changed, because its status is now “${now}”.`;
    }
    case 'unknown_reference':
      return language === 'ja'
        ? '場所、カード、状態・鑑定のいずれかが見つかりません。'
        : 'The place, card or grade does not exist.';
    case 'shop_full':
      return language === 'ja'
        ? '在庫品の数が、運営者の定めた上限に達しています。'
        : 'The shop has as many units as the operator allows.';
    case 'not_found':
    case 'incomplete':
      return language === 'ja' ? '在庫品が見つかりません。' : 'The unit does not exist.';
  }
}
