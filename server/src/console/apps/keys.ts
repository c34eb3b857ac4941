import { html } from 'hono/html';
import { findNameProblem } from '../../base/plain-text.ts';
import type { Markup } from '../../html/page.ts';
import type { Permission } from '../../shops/permission.ts';
import { createShopKey, listShopKeys, removeShopKey, type ShopKey } from '../../shops/shop-key.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { lastReadText } from '../parts/app-health.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { textField } from '../parts/field.ts';
import { emptyState, type FormError, errorOf, errorSummary, callout } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { copyableValue } from '../parts/copyable.ts';
import { setOneTimeSecret, clearOneTimeSecret, readOneTimeSecret } from '../one-time-secret.ts';
import { keyMessages } from './messages/key.ts';

/** The maximum length of a key's name in code points, as in `shops/shop-key.ts`. */
const KEY_NAME_MAX = 200;

/**
 * The permissions that every key grants. The creator of a key must hold all of them: otherwise
 * creating a key would raise the creator's permissions.
 */
const KEY_PERMISSIONS: readonly Permission[] = [
  'inventory.read',
  'inventory.write',
  'inventory.cost',
  'purchases.read',
  'purchases.write',
];

function canCreateKeys({ can }: RequestContext): boolean {
  return KEY_PERMISSIONS.every((permission) => can(permission));
}

export async function createKey(
  deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { shop, now, actor, form, language } = context;
  const messages = keyMessages[language];
  const name = (form.get('name') ?? '').trim();
  const refuse = async (field: string | null, text: string): Promise<ConsoleResponse> =>
    await showKeys(deps, context, name, [{ field, text }]);
  if (!canCreateKeys(context)) return await refuse(null, messages.mayNot);
  if (findNameProblem(name) !== null) {
    return await refuse('name', messages.badName);
  }
  const created = await deps.write(
    shop.id,
    async (tx) => await createShopKey(tx, shop.id, name, now, actor),
  );
  switch (created.kind) {
    case 'invalid':
      return await refuse('name', messages.badName);
    case 'too_many':
      return await refuse(null, messages.tooMany);
    case 'created': {
      const path = context.shopPath(`/apps/keys/${created.id}/secret`);
      const isSecure = deps.publicUrl.startsWith('https:');
      return redirectTo(path, null, [setOneTimeSecret(context, path, created.key, isSecure)]);
    }
  }
}

export async function showKeySecret(
  { db, publicUrl }: ConsoleDeps,
  context: RequestContext,
  key: ShopKey,
): Promise<ConsoleResponse> {
  const messages = keyMessages[context.language];
  const path = context.shopPath(`/apps/keys/${key.id}/secret`);
  const back = { href: context.shopPath('/apps/keys'), label: messages.keys };
  const secret = await readOneTimeSecret(db, context, path);
  if (secret === null) {
    const content = html`<p>${messages.goneText}</p>`;
    return showPage({ title: messages.gone, section: 'apps', back, content });
  }
  const lines = `CARDPORT_SHOP_URL=${publicUrl}/shop/v1\nSHOP_KEY=${secret}`;
  return showPage({
    title: messages.shownTitle(key.name),
    section: 'apps',
    cookies: [clearOneTimeSecret(path, publicUrl.startsWith('https:'))],
    content: html`${callout('warn', messages.once)}
      <section class="sheet">
        <p>${copyableValue(secret, context.language, messages.key)}</p>
        <h2>${messages.lines}</h2>
        <pre class="lines">${lines}</pre>
        ${linkButton({ href: back.href, label: messages.done, kind: 'first' })}
      </section>`,
  });
}

export async function confirmRemoveKey(
  _deps: ConsoleDeps,
  context: RequestContext,
  { id, name }: ShopKey,
): Promise<ConsoleResponse> {
  const messages = keyMessages[context.language];
  const path = context.shopPath('/apps/keys');
  return confirmPage(context, {
    title: messages.removeTitle(name),
    section: 'apps',
    back: { href: path, label: messages.keys },
    content: html`<p>${messages.removeText}</p>`,
    action: `${path}/${id}/remove`,
    button: messages.removeButton,
    cancelLabel: messages.keep,
  });
}

export async function removeKey(
  { write }: ConsoleDeps,
  { shop, now, actor, shopPath }: RequestContext,
  { id }: ShopKey,
): Promise<ConsoleResponse> {
  const isRemoved = await write(
    shop.id,
    async (tx) => await removeShopKey(tx, shop.id, id, now, actor),
  );
  return isRemoved ? redirectTo(shopPath('/apps/keys'), 'key_removed') : NOT_FOUND;
}

/**
 * Shows the shop's keys and the form for a new key. After an error, the form contains the submitted
 * name and the errors.
 */
export async function showKeys(
  { db }: ConsoleDeps,
  context: RequestContext,
  name = '',
  errors: readonly FormError[] = [],
): Promise<ConsoleResponse> {
  const keys = await listShopKeys(db, context.shop.id);
  const messages = keyMessages[context.language];
  return showPage({
    title: messages.keys,
    section: 'apps',
    status: errors.length === 0 ? 200 : 422,
    back: { href: context.shopPath('/apps'), label: messages.apps },
    content: html`${errorSummary(messages.refused, errors)}
      <p>${messages.intro}</p>
      <section class="sheet">${renderKeys(context, keys)}</section>
      <section class="sheet">
        <h2>${messages.make}</h2>
        ${canCreateKeys(context) ? renderForm(context, name, errors) : html`<p>${messages.mayNot}</p>`}
      </section>`,
  });
}

function renderForm(context: RequestContext, name: string, errors: readonly FormError[]): Markup {
  const messages = keyMessages[context.language];
  return html`<form method="post" action="${context.shopPath('/apps/keys')}">
    ${context.formToken}
    ${textField({
      name: 'name',
      label: messages.name,
      hint: messages.nameHint,
      value: name,
      error: errorOf(errors, 'name'),
      isRequired: true,
      maxLength: KEY_NAME_MAX,
      autocomplete: 'off',
    })}
    <div class="actions">${submitButton(messages.makeButton)}</div>
  </form>`;
}

function renderKeys(context: RequestContext, keys: readonly ShopKey[]): Markup | '' {
  const { language, format } = context;
  const messages = keyMessages[language];
  return table({
    caption: messages.caption,
    rows: keys,
    columns: [
      [
        messages.name,
        ({ name }) => (name === '' ? html`<span class="soft">${messages.unnamed}</span>` : name),
      ],
      [messages.made, ({ createdAt }) => format.dateTime(createdAt)],
      [messages.lastUse, ({ lastUsedAt }) => lastReadText(lastUsedAt, format)],
      [
        messages.actions,
        ({ id, name }) =>
          linkButton({
            href: context.shopPath(`/apps/keys/${id}/remove`),
            label: messages.remove,
            kind: 'danger',
            about: name,
          }),
        'buttons',
      ],
    ],
    empty: emptyState(messages.none, messages.noneText),
  });
}
