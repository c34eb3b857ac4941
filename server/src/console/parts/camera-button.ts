import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { consoleMessages } from '../shared-messages.ts';

export const cameraMessages = consoleMessages({
  scan: { en: 'Scan with camera', ja: 'カメラで読み取る' },
  title: { en: 'Point the camera at a barcode', ja: 'バーコードにカメラを向けてください' },
  close: { en: 'Close', ja: '閉じる' },
  failed: {
    en: 'The camera could not be opened. Allow it for this site in the browser’s settings.',
    ja: 'カメラを開けませんでした。ブラウザの設定で、このサイトのカメラの使用を許可してください。',
  },
});

/**
 * Renders the button that reads a barcode into an input of its form and submits the form. The
 * script `camera` shows the button in browsers that can detect barcodes (`BarcodeDetector`).
 */
export function cameraButton(language: Language, input: string): Markup {
  const messages = cameraMessages[language];
  return html`<button
    type="button"
    class="second"
    data-camera="${input}"
    data-title="${messages.title}"
    data-close="${messages.close}"
    data-failed="${messages.failed}"
    hidden
  >
    ${messages.scan}
  </button>`;
}
