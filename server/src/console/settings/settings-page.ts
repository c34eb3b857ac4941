import { html } from 'hono/html';
import {
  changeShopSettings,
  findShopSettings,
  lockShopSettings,
  mayChangeCurrency,
  type ShopSettings,
} from '../../shops/shop-settings.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type Form, handleForm, type SaveResult, showForm } from '../parts/form/form.ts';
import { descriptionList } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { type ConsoleResponse, NOT_FOUND, redirectTo } from '../response.ts';
import { settingsMessages } from './messages.ts';
import { settingsFields, type SettingsValues } from './settings-fields.ts';

export async function showSettings(
  { db }: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const [settings, isCurrencyOpen] = await Promise.all([
    findShopSettings(db, context.shop.id),
    mayChangeCurrency(db, context.shop.id),
  ]);
  if (settings === undefined) return NOT_FOUND;
  return await showForm(context, formOf(context, isCurrencyOpen), valuesOf(settings));
}

export async function saveSettings(
  { db, write }: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { shop, now, actor, language } = context;
  const isCurrencyOpen = await mayChangeCurrency(db, shop.id);
  const form = formOf(context, isCurrencyOpen);
  return await handleForm(context, form, async ({ change, hasConflict }) => {
    return await write(shop.id, async (tx): Promise<SaveResult<SettingsValues>> => {
      const before = await lockShopSettings(tx, shop.id);
      if (before === undefined) return NOT_FOUND;
      const current = valuesOf(before);
      if (hasConflict(current)) return { kind: 'overtaken', now: current };
      const { mailLanguage, ...rest } = change;
      const settings = {
        ...rest,
        ...(mailLanguage === undefined ? {} : { language: languageOf(mailLanguage) }),
      };
      const result = await changeShopSettings(tx, shop, before, settings, now, actor);
      if (result === 'currency_in_use') {
        const text = settingsMessages[language].currencyFixed;
        return { kind: 'refused', errors: [{ field: null, text }] };
      }
      if (typeof result === 'object') {
        const text = settingsMessages[language].refused;
        return { kind: 'refused', errors: [{ field: null, text }] };
      }
      return redirectTo(context.shopPath('/settings'), result === 'changed' ? 'saved' : result);
    });
  });
}

function languageOf(chosen: SettingsValues['mailLanguage']): ShopSettings['language'] {
  return chosen === 'both' ? null : chosen;
}

function valuesOf({ language, ...settings }: ShopSettings): SettingsValues {
  return { ...settings, mailLanguage: language ?? 'both' };
}

function formOf(context: RequestContext, isCurrencyOpen: boolean): Form<SettingsValues> {
  const { language, shop } = context;
  const messages = settingsMessages[language];
  const fixed = html`${shop.currency} <span class="hint below">${messages.currencyFixed}</span>`;
  return {
    page: {
      title: messages.title,
      section: 'settings',
      back: { href: context.shopPath(''), label: messages.home },
    },
    action: context.shopPath('/settings'),
    fields: settingsFields(language, isCurrencyOpen),
    layout: (rendered) =>
      html`${Object.values(rendered)}
      ${isCurrencyOpen ? '' : descriptionList([[messages.currency, fixed]])}
      ${descriptionList([
        [
          messages.approvers,
          html`<a href="${context.shopPath('/members')}">${messages.members}</a>
            <span class="hint below">${messages.approversHint}</span>`,
        ],
      ])}`,
  };
}
