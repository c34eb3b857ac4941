import { defineMessages } from '../../../html/messages.ts';
import { sharedMessages } from '../../shared-messages.ts';

export const formMessages = defineMessages({
  faults: { en: 'The form was not saved', ja: '保存できませんでした' },
  save: sharedMessages.save,
  cancel: sharedMessages.cancel,
  overtaken: {
    en: 'Someone else changed the same values while you were editing. Nothing has been saved yet. Compare the values below. If you save again, your values replace theirs.',
    ja: '編集中に、ほかのメンバーが同じ項目を変更しました。まだ保存していません。下の値を確認してください。もう一度保存すると、入力した値で上書きします。',
  },
  now: {
    en: (label: string, now: string, was: string) =>
      `${label}: now ${now}. When you opened the form: ${was}.`,
    ja: (label: string, now: string, was: string) =>
      `${label}：現在は「${now}」、編集開始時は「${was}」です。`,
  },
  kept: {
    en: 'You were signed out before this was saved. These are the values that you entered. Check them and save again.',
    ja: '保存する前にログアウトされたため、まだ保存していません。入力した値を表示しています。確認して、もう一度保存してください。',
  },
  empty: { en: '(empty)', ja: '（空欄）' },
  yes: { en: 'Yes', ja: 'はい' },
  no: { en: 'No', ja: 'いいえ' },
  noAmount: {
    en: 'Enter the amount as a number, such as 1200.',
    ja: '金額を数字で入力してください（例：1200）。',
  },
  largeAmount: { en: 'The amount is too high.', ja: '金額が大きすぎます。' },
  fineAmount: {
    en: (digits: number, currency: string) =>
      digits === 0
        ? `${currency} amounts have no decimals.`
        : `${currency} amounts have at most ${digits} decimals.`,
    ja: (digits: number, currency: string) =>
      digits === 0
        ? `${currency} には小数点以下を入力できません。`
        : `${currency} の小数点以下は ${digits} 桁までです。`,
  },
  chooseFile: { en: 'Choose file', ja: 'ファイルを選択' },
  noFile: { en: 'No file chosen', ja: '選択されていません' },
  noInstant: { en: 'Enter a valid date and time.', ja: '正しい日時を入力してください。' },
});
