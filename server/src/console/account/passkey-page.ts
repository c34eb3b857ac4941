import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { listPasskeys, type Passkey, removePasskey, renamePasskey } from '../../shops/passkey.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { faultOf, faultSummary } from '../parts/notes.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';
import { passkeyMessages } from './messages.ts';

/** Mounts the page of one passkey: rename and remove it. */
export function mountPasskeyPage(routes: AccountRoutes, { db }: ConsoleDeps): void {
  routes.page('/account/passkeys/:id', async (visitor) => {
    const found = await findOwn(db, visitor);
    return found === undefined ? NOT_FOUND : showPasskey(visitor, found, null);
  });

  routes.action('/account/passkeys/:id/name', async (visitor) => {
    const found = await findOwn(db, visitor);
    if (found === undefined) return NOT_FOUND;
    const { account, now, actor, form } = visitor;
    const name = (form.get('name') ?? '').trim();
    const result = await db.transaction(
      async (tx) => await renamePasskey(tx, account.id, found.id, name, now, actor),
    );
    if (result.kind === 'not_found') return NOT_FOUND;
    if (result.kind === 'invalid_name') return showPasskey(visitor, found, name);
    return goTo('/console/account/passkeys', 'saved');
  });

  routes.action('/account/passkeys/:id/remove', async ({ account, now, actor, params }) => {
    const { id } = params;
    if (!isUuid(id)) return NOT_FOUND;
    const isRemoved = await db.transaction(
      async (tx) => await removePasskey(tx, account.id, id, now, actor),
    );
    return isRemoved ? goTo('/console/account/passkeys', 'passkey_removed') : NOT_FOUND;
  });
}

/** Finds the passkey named by the path, only among the visitor's own. */
async function findOwn(
  db: ConsoleDeps['db'],
  { account, params }: Visitor,
): Promise<Passkey | undefined> {
  const passkeys = await listPasskeys(db, account.id);
  return passkeys.find(({ id }) => id === params['id']);
}

/** `refused`: the name that was typed and rejected. */
function showPasskey(visitor: Visitor, passkey: Passkey, refused: string | null): ConsoleAnswer {
  const messages = passkeyMessages[visitor.language];
  const path = `/console/account/passkeys/${passkey.id}`;
  const faults = refused === null ? [] : [{ field: 'name', text: messages.badPasskeyName }];
  return showPage({
    title: passkey.name,
    section: null,
    back: { href: '/console/account/passkeys', label: messages.passkeys },
    status: refused === null ? 200 : 422,
    content: html`${faultSummary(messages.nameNotChanged, faults)}
      <section class="sheet">
        <form class="stack" method="post" action="${path}/name">
          ${visitor.formToken}
          ${textField({
            name: 'name',
            label: messages.name,
            value: refused ?? passkey.name,
            maxLength: 100,
            isRequired: true,
            fault: faultOf(faults, 'name'),
          })}
          <div class="actions">${submitButton(messages.save)}</div>
        </form>
      </section>
      <section class="sheet">
        <h2>${messages.removeTitle}</h2>
        <p>${messages.removeText}</p>
        ${actionButton(visitor, { action: `${path}/remove`, label: messages.remove, kind: 'danger' })}
      </section>`,
  });
}
