import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { listPasskeys, type Passkey, removePasskey, renamePasskey } from '../../shops/passkey.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { errorOf, errorSummary } from '../parts/notes.ts';
import type { AccountRoutes } from '../section.ts';
import type { AccountContext } from '../request-context.ts';
import { passkeyMessages } from './messages.ts';

/** Mounts the page on which a person renames or removes one passkey. */
export function mountPasskeyPage(routes: AccountRoutes, { db }: ConsoleDeps): void {
  routes.page('/account/passkeys/:id', async (context) => {
    const found = await findOwn(db, context);
    return found === undefined ? NOT_FOUND : showPasskey(context, found, null);
  });

  routes.action('/account/passkeys/:id/name', async (context) => {
    const found = await findOwn(db, context);
    if (found === undefined) return NOT_FOUND;
    const { account, now, actor, form } = context;
    const name = (form.get('name') ?? '').trim();
    const result = await db.transaction(
      async (tx) => await renamePasskey(tx, account.id, found.id, name, now, actor),
    );
    if (result.kind === 'not_found') return NOT_FOUND;
    if (result.kind === 'invalid_name') return showPasskey(context, found, name);
    return redirectTo('/console/account/passkeys', 'saved');
  });

  routes.action('/account/passkeys/:id/remove', async ({ account, now, actor, params }) => {
    const { id } = params;
    if (!isUuid(id)) return NOT_FOUND;
    const isRemoved = await db.transaction(
      async (tx) => await removePasskey(tx, account.id, id, now, actor),
    );
    return isRemoved ? redirectTo('/console/account/passkeys', 'passkey_removed') : NOT_FOUND;
  });
}

async function findOwn(
  db: ConsoleDeps['db'],
  { account, params }: AccountContext,
): Promise<Passkey | undefined> {
  const passkeys = await listPasskeys(db, account.id);
  return passkeys.find(({ id }) => id === params['id']);
}

function showPasskey(
  context: AccountContext,
  passkey: Passkey,
  rejectedName: string | null,
): ConsoleResponse {
  const messages = passkeyMessages[context.language];
  const path = `/console/account/passkeys/${passkey.id}`;
  const errors = rejectedName === null ? [] : [{ field: 'name', text: messages.badPasskeyName }];
  return showPage({
    title: passkey.name,
    section: null,
    back: { href: '/console/account/passkeys', label: messages.passkeys },
    status: rejectedName === null ? 200 : 422,
    content: html`${errorSummary(messages.nameNotChanged, errors)}
      <section class="sheet">
        <form class="stack" method="post" action="${path}/name">
          ${context.formToken}
          ${textField({
            name: 'name',
            label: messages.name,
            value: rejectedName ?? passkey.name,
            maxLength: 100,
            isRequired: true,
            error: errorOf(errors, 'name'),
          })}
          <div class="actions">${submitButton(messages.save)}</div>
        </form>
      </section>
      <section class="sheet">
        <h2>${messages.removeTitle}</h2>
        <p>${messages.removeText}</p>
        ${actionButton(context, { action: `${path}/remove`, label: messages.remove, kind: 'danger' })}
      </section>`,
  });
}
