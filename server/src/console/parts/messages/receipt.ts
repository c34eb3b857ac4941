import { consoleMessages } from '../../shared-messages.ts';

export const receiptMessages = consoleMessages({
  receive: { en: 'Receive stock', ja: '入庫' },
  unit: { en: 'View unit', ja: '在庫品を見る' },
  undo: { en: 'Undo', ja: '元に戻す' },
  bought: {
    en: (units: number, name: string) => `Bought ${units} × ${name}.`,
    ja: (units: number, name: string) => `「${name}」を ${units} 点買い取りました。`,
  },
  open: {
    en: (units: number) => (units === 1 ? 'View unit' : 'View first unit'),
    ja: (units: number) => (units === 1 ? '在庫品を見る' : '最初の 1 点を見る'),
  },
  refused: {
    boost_ended: {
      en: 'This cannot be undone, because the buy boost has ended. Void the units on their pages instead.',
      ja: '買取強化が終了しているため、元に戻せません。在庫品のページで登録を取り消してください。',
    },
    unit_changed: {
      en: 'This cannot be undone, because a unit has been changed or sold since then. Nothing was changed.',
      ja: 'その後に変更または販売された在庫品があるため、元に戻せません。何も変更していません。',
    },
  },
});
