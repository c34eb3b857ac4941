import type { Language } from '../../pages/language.ts';

/** Why an upload was not taken. */
export type PhotoFaultKind =
  | 'empty'
  | 'too_large'
  | 'heic'
  | 'unsupported'
  | 'unreadable'
  | 'again';

export const SENTENCES: Readonly<Record<Language, Readonly<Record<PhotoFaultKind, string>>>> = {
  en: {
    empty: 'Choose or take a photo first.',
    too_large: 'The photo has more than 20 MB. Nothing was changed.',
    heic: 'The photo is HEIC, which cannot be read. On an iPhone choose Settings, Camera, Formats, Most Compatible, and take it again.',
    unsupported: 'The file is not a JPEG, PNG or WebP photo.',
    unreadable: 'The photo is damaged, animated, or has more than 50 megapixels.',
    again: 'The upload was not completed. Send it again.',
  },
  ja: {
    empty: '写真を選ぶか、撮影してください。',
    too_large: '写真が 20 MB を超えています。変更はありませんでした。',
    heic: 'HEIC 形式の写真は読み取れません。iPhone では「設定」→「カメラ」→「フォーマット」で「互換性優先」を選び、もう一度撮影してください。',
    unsupported: 'JPEG・PNG・WebP の写真ではありません。',
    unreadable: '写真が壊れているか、アニメーションであるか、5,000 万画素を超えています。',
    again: 'アップロードが完了しませんでした。もう一度送信してください。',
  },
};

/** The sentence for the person who sent it. */
export function photoFaultText(kind: PhotoFaultKind, language: Language): string {
  return SENTENCES[language][kind];
}
