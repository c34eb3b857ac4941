import { defineMessages } from '../../../html/messages.ts';
import { sharedMessages } from '../../shared-messages.ts';

export const actorMessages = defineMessages({
  member: { en: 'A member', ja: 'メンバー' },
  app: { en: 'An app', ja: 'アプリ' },
  shop_key: sharedMessages.key,
  operator: { en: 'The operator', ja: '運営者' },
  service: { en: 'The service', ja: 'サービス' },
});
