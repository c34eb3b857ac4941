import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import {
  createResetForMember,
  isMemberElsewhere,
  type MemberResetResult,
} from '../../shops/password-reset.ts';
import type { Member } from '../../shops/member.ts';
import type { ThrottleResult } from '../../shops/sign-in-throttle.ts';
import type { ConsoleDeps } from '../deps.ts';
import { clearOneTimeSecret, readOneTimeSecret, setOneTimeSecret } from '../one-time-secret.ts';
import { actionButton } from '../parts/button.ts';
import { copyableValue } from '../parts/copyable.ts';
import { permissionNames } from '../permission-text.ts';
import type { RequestContext } from '../request-context.ts';
import { type ConsoleResponse, NOT_FOUND, redirectTo } from '../response.ts';
import { memberMessages } from './messages.ts';
import { missingPermissions, notAllowed } from './permission-boxes.ts';

/**
 * Creates a link with which a member who cannot sign in sets a new password, and mails it to the
 * account's address or, with `way=link`, shows it to the manager (decision 0236).
 */
export async function resetPassword(
  deps: ConsoleDeps,
  context: RequestContext,
  member: Member,
): Promise<ConsoleResponse> {
  const { account, shop, now, form, language } = context;
  const { resets, counter } = deps.signIn;
  const { id } = member.account;
  const path = context.shopPath(`/members/${id}`);
  const isShown = form.get('way') === 'link';
  const by = { kind: 'member', accountId: account.id } as const;
  const result = await deps.write(shop.id, async (tx) => {
    const count = async (): Promise<ThrottleResult> =>
      await counter.countManagerReset(tx, shop.id, id);
    return await createResetForMember(tx, shop.id, id, { isShown, count }, now, by);
  });
  if (result.kind === 'throttled') return redirectTo(path, 'reset_throttled');
  if (result.kind !== 'created') return refuse(context, result);
  if (isShown) {
    const isSecure = deps.publicUrl.startsWith('https:');
    return redirectTo(`${path}#password`, null, [
      setOneTimeSecret(context, path, result.secret, isSecure),
    ]);
  }
  const from = { member: account.name, shop: shop.name };
  const sent = await resets.send(result.account, result.secret, language, from);
  if (sent.kind === 'failed') return redirectTo(path, 'reset_unsent');
  return redirectTo(path, deps.mail.kind === 'server' ? 'reset_mailed' : 'reset_filed');
}

function refuse(
  { language }: RequestContext,
  result: Exclude<MemberResetResult, { readonly kind: 'created' | 'throttled' }>,
): ConsoleResponse {
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'not_allowed':
      throw notAllowed();
    case 'not_held':
      throw notAllowed(result.missing);
    case 'elsewhere':
      return {
        kind: 'page',
        page: {
          title: memberMessages[language].notReset,
          section: 'members',
          status: 403,
          content: html`<p>${memberMessages[language].resetElsewhere}</p>`,
        },
      };
  }
}

/** The password section of a member's page, and the cookies that it sets. */
export interface ResetSection {
  readonly content: Markup | '';
  readonly cookies: readonly string[];
}

/** Renders the buttons that create a link, and the link that was just created. */
export async function renderReset(
  { db, publicUrl, signIn }: Pick<ConsoleDeps, 'db' | 'publicUrl' | 'signIn'>,
  context: RequestContext,
  member: Member,
): Promise<ResetSection> {
  const { account, isActive } = member;
  const { language, shop } = context;
  const messages = memberMessages[language];
  if (!isActive || account.id === context.account.id) return { content: '', cookies: [] };
  const path = context.shopPath(`/members/${account.id}`);
  const secret = await readOneTimeSecret(db, context, path);
  const missing = missingPermissions(context, member);
  const isElsewhere = await isMemberElsewhere(db, shop.id, account.id);
  const button = (way: 'mail' | 'link', label: string): Markup =>
    actionButton(context, { action: `${path}/password-reset`, label, fields: { way } });
  const content = html`<section class="sheet" id="password">
    <h2>${messages.password}</h2>
    ${
      secret === null
        ? html`<p>${messages.resetText}</p>`
        : html`<p>${messages.resetLinkText}</p>
            <p>${copyableValue(signIn.resets.linkOf(secret), language, messages.resetLink)}</p>`
    }
    ${
      missing.length > 0
        ? html`<p>${messages.memberNotHeld(permissionNames(missing, language))}</p>`
        : html`<div class="tools">
              ${button('mail', messages.resetByMail)}
              ${isElsewhere ? '' : button('link', messages.resetByLink)}
            </div>
            ${isElsewhere ? html`<p class="soft small">${messages.resetElsewhere}</p>` : ''}`
    }
  </section>`;
  const isSecure = publicUrl.startsWith('https:');
  return { content, cookies: secret === null ? [] : [clearOneTimeSecret(path, isSecure)] };
}
