import { html } from 'hono/html';
import { findTextFault } from '../../base/plain-text.ts';
import type { Queryable } from '../../database/database.ts';
import type { Markup } from '../../pages/page.ts';
import type { Permission } from '../../shops/permission.ts';
import { createShopKey, listShopKeys, removeShopKey, type ShopKey } from '../../shops/shop-key.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { emptyState, type FormFault, faultOf, faultSummary, note } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { uuidOf } from './app-of-shop.ts';
import { copyableValue } from './developer-lines.ts';
import { lastReadText } from './health.ts';
import { carryOnce, forgetOnce, readOnce } from './shown-once.ts';
import { keyMessages } from './messages/key.ts';

/** Bound of a key's name (`shops/shop-key.ts`), in code points. */
const KEY_NAME_MAX = 200;

/** What a key opens: who makes one must hold all of it, or would give himself more than the shop gave him. */
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

/** Mounts the Shop API keys of a shop. */
export function mountKeys(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db, publicUrl, write } = deps;
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/apps/keys', 'integrations.manage', async (visit) => showKeys(db, visit, '', []));
  routes.action('/apps/keys', 'integrations.manage', async (visit) => {
    const { shop, now, actor, form, language } = visit;
    const messages = keyMessages[language];
    const name = (form.get('name') ?? '').trim();
    if (!mayMakeKeys(visit)) {
      return await showKeys(db, visit, name, [{ field: null, text: messages.mayNot }]);
    }
    if (findTextFault('name', name, KEY_NAME_MAX) !== null) {
      return await showKeys(db, visit, name, [
        { field: 'name', text: messages.nameFault(KEY_NAME_MAX) },
      ]);
    }
    const made = await write(
      shop.id,
      async (tx) => await createShopKey(tx, shop.id, name, now, actor),
    );
    switch (made.kind) {
      case 'invalid':
        return await showKeys(db, visit, name, [
          { field: 'name', text: messages.nameFault(KEY_NAME_MAX) },
        ]);
      case 'too_many':
        return await showKeys(db, visit, name, [{ field: null, text: messages.tooMany }]);
      case 'created': {
        const path = visit.path(`/apps/keys/${made.id}/secret`);
        return goTo(path, null, [carryOnce(visit, path, made.key, isSecure)]);
      }
    }
  });
  mountShownKey(routes, deps);
  mountRemoval(routes, deps);
}

function mountShownKey(routes: SectionRoutes, { db, publicUrl }: ConsoleDeps): void {
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/apps/keys/:keyId/secret', 'integrations.manage', async (visit) => {
    const key = await findKey(db, visit);
    if (key === undefined) return NOT_FOUND;
    const messages = keyMessages[visit.language];
    const path = visit.path(`/apps/keys/${key.id}/secret`);
    const back = { href: visit.path('/apps/keys'), label: messages.title };
    const secret = await readOnce(db, visit, path);
    if (secret === null) {
      return showPage({
        title: messages.gone,
        section: 'apps',
        back,
        content: html`<p>${messages.goneText}</p>`,
      });
    }
    const lines = `CARDPORT_SHOP_URL=${publicUrl}/shop/v1\nSHOP_KEY=${secret}`;
    return showPage({
      title: messages.shownTitle(key.name),
      section: 'apps',
      cookies: [forgetOnce(path, isSecure)],
      content: html`${note('warn', messages.once)}
        <section class="sheet">
          <p>${copyableValue(secret, visit.language, messages.key)}</p>
          <h2>${messages.lines}</h2>
          <pre class="lines">${lines}</pre>
          ${linkButton({ href: back.href, label: messages.done, kind: 'first' })}
        </section>`,
    });
  });
}

function mountRemoval(routes: SectionRoutes, { db, write }: ConsoleDeps): void {
  const route = '/apps/keys/:keyId/remove';
  routes.page(route, 'integrations.manage', async (visit) => {
    const key = await findKey(db, visit);
    if (key === undefined) return NOT_FOUND;
    const messages = keyMessages[visit.language];
    const path = visit.path('/apps/keys');
    return showPage({
      title: messages.removeTitle(key.name),
      section: 'apps',
      back: { href: path, label: messages.title },
      content: html`<section class="sheet">
        <p>${messages.removeText}</p>
        <div class="actions">
          ${actionButton(visit, { action: `${path}/${key.id}/remove`, label: messages.removeButton, kind: 'danger' })}
          ${linkButton({ href: path, label: messages.keep })}
        </div>
      </section>`,
    });
  });
  routes.action(route, 'integrations.manage', async (visit) => {
    const keyId = uuidOf(visit.params['keyId']);
    if (keyId === null) return NOT_FOUND;
    const { shop, now, actor } = visit;
    const isRemoved = await write(
      shop.id,
      async (tx) => await removeShopKey(tx, shop.id, keyId, now, actor),
    );
    return isRemoved ? goTo(visit.path('/apps/keys'), 'key_removed') : NOT_FOUND;
  });
}

/** The key that the path names, or undefined. A shop has at most 50. */
async function findKey(db: Queryable, { shop, params }: Visit): Promise<ShopKey | undefined> {
  const keyId = uuidOf(params['keyId']);
  if (keyId === null) return undefined;
  const keys = await listShopKeys(db, shop.id);
  return keys.find(({ id }) => id === keyId);
}

async function showKeys(
  db: Queryable,
  visit: Visit,
  name: string,
  faults: readonly FormFault[],
): Promise<ConsoleAnswer> {
  const keys = await listShopKeys(db, visit.shop.id);
  const messages = keyMessages[visit.language];
  return showPage({
    title: messages.title,
    section: 'apps',
    status: faults.length === 0 ? 200 : 422,
    back: { href: visit.path('/apps'), label: messages.apps },
    content: html`${faultSummary(messages.refused, faults)}
      <p>${messages.intro}</p>
      ${keys.length === 0 ? emptyState(messages.none, messages.noneText) : renderKeys(visit, keys)}
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

function renderKeys(visit: Visit, keys: readonly ShopKey[]): Markup {
  const { language, format } = visit;
  const messages = keyMessages[language];
  return html`<div class="sheet">
    ${table({
      caption: messages.caption,
      isCaptionUnseen: true,
      columns: [
        { label: messages.name },
        { label: messages.made },
        { label: messages.lastUse },
        { label: messages.actions, isLabelUnseen: true },
      ],
      rows: keys.map(({ id, name, createdAt, lastUsedAt }) => [
        name === '' ? html`<span class="soft">${messages.unnamed}</span>` : name,
        format.dateTime(createdAt),
        lastReadText(lastUsedAt, format),
        linkButton({
          href: visit.path(`/apps/keys/${id}/remove`),
          label: messages.remove,
          kind: 'danger',
          about: name,
        }),
      ]),
    })}
  </div>`;
}
