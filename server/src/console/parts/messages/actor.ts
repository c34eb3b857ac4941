import { defineMessages } from '../../../html/messages.ts';
import { shared } from '../../shared-messages.ts';

export const actorMessages = defineMessages({
  member: { en: 'A member', ja: 'メンバー' },
  app: { en: 'An app', ja: 'アプリ' },
  shop_key: shared.key,
  operator: { en: 'The operator', ja: '運営者' },
  service: { en: 'The service', ja: 'サービス' },
});
