import { html } from 'hono/html';
import { findTextFault } from '../../base/plain-text.ts';
import type { Markup } from '../../pages/page.ts';
import type { Permission } from '../../shops/permission.ts';
import { createShopKey, listShopKeys, removeShopKey, type ShopKey } from '../../shops/shop-key.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { lastReadText } from '../parts/app-health.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { textField } from '../parts/field.ts';
import { emptyState, type FormFault, faultOf, faultSummary, note } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { copyableValue } from './developer-lines.ts';
import { carryOnce, forgetOnce, readOnce } from './shown-once.ts';
import { keyMessages } from './messages/key.ts';

/** In code points (`shops/shop-key.ts`). */
const KEY_NAME_MAX = 200;

/**
 * What a key grants. Its creator must hold all of these, or creating a key would raise their own
 * permissions.
 */
const OPENED_BY_KEY: readonly Permission[] = [
  'inventory.read',
  'inventory.write',
  'inventory.cost',
  'purchases.read',
  'purchases.write',
];

function mayMakeKeys({ may }: Visit): boolean {
  return OPENED_BY_KEY.every((permission) => may(permission));
}

export async function makeKey(deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const { shop, now, actor, form, language } = visit;
  const messages = keyMessages[language];
  const name = (form.get('name') ?? '').trim();
  const refuse = async (field: string | null, text: string): Promise<ConsoleAnswer> =>
    await showKeys(deps, visit, name, [{ field, text }]);
  if (!mayMakeKeys(visit)) return await refuse(null, messages.mayNot);
  if (findTextFault('name', name, KEY_NAME_MAX) !== null) {
    return await refuse('name', messages.nameFault(KEY_NAME_MAX));
  }
  const made = await deps.write(
    shop.id,
    async (tx) => await createShopKey(tx, shop.id, name, now, actor),
  );
  switch (made.kind) {
    case 'invalid':
      return await refuse('name', messages.nameFault(KEY_NAME_MAX));
    case 'too_many':
      return await refuse(null, messages.tooMany);
    case 'created': {
      const path = visit.path(`/apps/keys/${made.id}/secret`);
      const isSecure = deps.publicUrl.startsWith('https:');
      return goTo(path, null, [carryOnce(visit, path, made.key, isSecure)]);
    }
  }
}

export async function showKeySecret(
  { db, publicUrl }: ConsoleDeps,
  visit: Visit,
  key: ShopKey,
): Promise<ConsoleAnswer> {
  const messages = keyMessages[visit.language];
  const path = visit.path(`/apps/keys/${key.id}/secret`);
  const back = { href: visit.path('/apps/keys'), label: messages.keys };
  const secret = await readOnce(db, visit, path);
  if (secret === null) {
    const content = html`<p>${messages.goneText}</p>`;
    return showPage({ title: messages.gone, section: 'apps', back, content });
  }
  const lines = `CARDPORT_SHOP_URL=${publicUrl}/shop/v1\nSHOP_KEY=${secret}`;
  return showPage({
    title: messages.shownTitle(key.name),
    section: 'apps',
    cookies: [forgetOnce(path, publicUrl.startsWith('https:'))],
    content: html`${note('warn', messages.once)}
      <section class="sheet">
        <p>${copyableValue(secret, visit.language, messages.key)}</p>
        <h2>${messages.lines}</h2>
        <pre class="lines">${lines}</pre>
        ${linkButton({ href: back.href, label: messages.done, kind: 'first' })}
      </section>`,
  });
}

export async function confirmRemoveKey(
  _deps: ConsoleDeps,
  visit: Visit,
  { id, name }: ShopKey,
): Promise<ConsoleAnswer> {
  const messages = keyMessages[visit.language];
  const path = visit.path('/apps/keys');
  return confirmPage(visit, {
    title: messages.removeTitle(name),
    section: 'apps',
    back: { href: path, label: messages.keys },
    content: html`<p>${messages.removeText}</p>`,
    action: `${path}/${id}/remove`,
    button: messages.removeButton,
    keep: messages.keep,
  });
}

export async function removeKey(
  { write }: ConsoleDeps,
  { shop, now, actor, path }: Visit,
  { id }: ShopKey,
): Promise<ConsoleAnswer> {
  const isRemoved = await write(
    shop.id,
    async (tx) => await removeShopKey(tx, shop.id, id, now, actor),
  );
  return isRemoved ? goTo(path('/apps/keys'), 'key_removed') : NOT_FOUND;
}

/**
 * The shop's keys and the form for a new one; after an error, the form as submitted with its
 * faults.
 */
export async function showKeys(
  { db }: ConsoleDeps,
  visit: Visit,
  name = '',
  faults: readonly FormFault[] = [],
): Promise<ConsoleAnswer> {
  const keys = await listShopKeys(db, visit.shop.id);
  const messages = keyMessages[visit.language];
  return showPage({
    title: messages.keys,
    section: 'apps',
    status: faults.length === 0 ? 200 : 422,
    back: { href: visit.path('/apps'), label: messages.apps },
    content: html`${faultSummary(messages.refused, faults)}
      <p>${messages.intro}</p>
      <section class="sheet">${renderKeys(visit, keys)}</section>
      <section class="sheet">
        <h2>${messages.make}</h2>
        ${mayMakeKeys(visit) ? renderForm(visit, name, faults) : html`<p>${messages.mayNot}</p>`}
      </section>`,
  });
}

function renderForm(visit: Visit, name: string, faults: readonly FormFault[]): Markup {
  const messages = keyMessages[visit.language];
  return html`<form method="post" action="${visit.path('/apps/keys')}">
    ${visit.formToken}
    ${textField({
      name: 'name',
      label: messages.name,
      hint: messages.nameHint,
      value: name,
      fault: faultOf(faults, 'name'),
      isRequired: true,
      maxLength: KEY_NAME_MAX,
      autocomplete: 'off',
    })}
    <div class="actions">${submitButton(messages.makeButton)}</div>
  </form>`;
}

function renderKeys(visit: Visit, keys: readonly ShopKey[]): Markup | '' {
  const { language, format } = visit;
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
            href: visit.path(`/apps/keys/${id}/remove`),
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
