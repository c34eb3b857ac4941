import { html } from 'hono/html';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../pages/language.ts';
import type { Markup } from '../pages/page.ts';
import { sendLonePage } from './lone-page.ts';
import type { ShopHome } from './gate.ts';
import { permissionName } from './permission-words.ts';
import type { RefusalKind } from './refusal.ts';

/** What a person is told instead of the page that he asked for. */
export interface RefusalPage {
  readonly status: number;
  readonly title: string;
  readonly content: Markup;
}

interface Words {
  readonly notFound: string;
  readonly notFoundText: string;
  readonly noPermission: string;
  readonly noPermissionText: string;
  readonly askFor: string;
  readonly staleForm: string;
  readonly staleFormText: string;
  readonly brokenForm: string;
  readonly brokenFormText: string;
  readonly tooMany: string;
  readonly tooManyText: string;
  readonly busy: string;
  readonly busyText: string;
  readonly fault: string;
  readonly faultText: string;
  readonly requestId: string;
  readonly home: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    notFound: 'Page not found',
    notFoundText:
      'The address may be mistyped, what it showed may be gone, or it belongs to a shop that you are no member of.',
    noPermission: 'You may not do this',
    noPermissionText: 'For this you need another permission in this shop:',
    askFor: 'Ask somebody who manages the shop’s members to give it to you.',
    staleForm: 'Nothing was changed',
    staleFormText:
      'The form was too old, or came from another sign-in. Go back, reload the page and send it again.',
    brokenForm: 'Nothing was changed',
    brokenFormText: 'The form did not arrive whole. Go back and send it again.',
    tooMany: 'Too many pages at once',
    tooManyText: 'Wait a few seconds, then load the page again.',
    busy: 'Just a moment',
    busyText:
      'The service cannot answer at the moment. Nothing was lost: try again in a few seconds.',
    fault: 'Something went wrong',
    faultText: 'It is our fault, not yours. If it happens again, tell the operator this number:',
    requestId: 'Request',
    home: 'Go to Home',
  },
  ja: {
    notFound: 'ページが見つかりません',
    notFoundText:
      'アドレスが間違っているか、表示していたものがなくなったか、あなたがメンバーではないショップのページです。',
    noPermission: 'この操作はできません',
    noPermissionText: 'このショップで次の権限が必要です。',
    askFor: 'メンバーを管理している方に、権限の追加を依頼してください。',
    staleForm: '変更されませんでした',
    staleFormText:
      'フォームの有効期限が切れたか、別のログインのものです。前のページを再読み込みして、もう一度送信してください。',
    brokenForm: '変更されませんでした',
    brokenFormText: 'フォームが正しく届きませんでした。前のページからもう一度送信してください。',
    tooMany: 'アクセスが多すぎます',
    tooManyText: '数秒待ってから、もう一度読み込んでください。',
    busy: '少しお待ちください',
    busyText:
      '現在サービスが応答できません。データは失われていません。数秒後にもう一度お試しください。',
    fault: '問題が発生しました',
    faultText: 'こちらの不具合です。繰り返し起きる場合は、この番号を運営者にお知らせください。',
    requestId: 'リクエスト',
    home: '最初のページへ',
  },
};

/** The page of a refusal. One that sends to the sign-in has none. */
export function refusalPage(
  language: Language,
  refusal: Exclude<RefusalKind, { kind: 'sign_in' }>,
): RefusalPage {
  const text = WORDS[language];
  const plain = (status: number, title: string, sentence: string): RefusalPage => ({
    status,
    title,
    content: html`<p>${sentence}</p>`,
  });
  switch (refusal.kind) {
    case 'not_found':
      return plain(404, text.notFound, text.notFoundText);
    case 'stale_form':
      return plain(403, text.staleForm, text.staleFormText);
    case 'broken_form':
      return plain(400, text.brokenForm, text.brokenFormText);
    case 'too_many':
      return plain(429, text.tooMany, text.tooManyText);
    case 'no_permission':
      return {
        status: 403,
        title: text.noPermission,
        content: html`<p>${text.noPermissionText}</p>
          <ul>
            ${refusal.needed.map(
              (permission) =>
                html`<li>${permissionName(permission, language)} <code>${permission}</code></li>`,
            )}
          </ul>
          <p>${text.askFor}</p>`,
      };
  }
}

/** The page of what the service itself could not do: busy (503), or a fault (500) with the number of the request. */
export function faultPage(language: Language, status: number, requestId: string): RefusalPage {
  const text = WORDS[language];
  if (status === 503) {
    return { status, title: text.busy, content: html`<p>${text.busyText}</p>` };
  }
  if (status < 500) {
    return { status, title: text.brokenForm, content: html`<p>${text.brokenFormText}</p>` };
  }
  return {
    status,
    title: text.fault,
    content: html`<p>${text.faultText}</p>
      <p>${text.requestId}: <code>${requestId}</code></p>`,
  };
}

/** Sends such a page: plain, since nothing need be known of who asks; with the way back to the shop that he was let into. */
export async function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  language: Language,
  { status, title, content }: RefusalPage,
  home?: ShopHome,
): Promise<FastifyReply> {
  const back = html`<p>
    <a href="${home?.href ?? '/console'}">${home?.name ?? WORDS[language].home}</a>
  </p>`;
  const page = { status, title, content: html`${content} ${back}`, isLinked: true };
  return await sendLonePage(request, reply, language, page);
}
