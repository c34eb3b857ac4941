import { SCOPES } from '../apps/scope.ts';
import { findAccountByEmail } from '../shops/account.ts';
import { appOption, unknownScopeResult, readScopes } from './app.ts';
import type { Command } from './command.ts';
import { shopCommand } from './shop.ts';

export const token: Command = shopCommand({
  name: 'token',
  summary:
    'Try out an app: create the approval, the connection and the tokens for a member, without a browser.',
  options: {
    app: appOption,
    member: {
      value: 'EMAIL',
      meaning: 'The member on whose behalf the app acts.',
      isRequired: true,
    },
    scope: {
      value: '"SCOPE …"',
      meaning: `The scopes of the tokens. The app must be allowed to request each of them. Possible scopes: ${SCOPES.join(' ')}.`,
      isRequired: true,
    },
  },
  async run(args, context) {
    const scopes = readScopes(args.text('scope'));
    if ('unknown' in scopes) return unknownScopeResult(scopes);
    if (scopes.length === 0) {
      return { kind: 'misused', reason: '--scope must name at least one scope' };
    }
    const email = args.text('member');
    const account = await findAccountByEmail(context.db, email);
    if (account === undefined) {
      return {
        kind: 'failed',
        code: 'not_found',
        reason: `there is no account with the email ${email}`,
      };
    }
    const request = {
      shopId: context.shop.id,
      clientId: args.text('app'),
      accountId: account.id,
      scopes,
    };
    // Loaded on demand, because this library takes longer to load than the rest of the program.
    const { issueTokens } = await import('../oauth/issue-tokens.ts');
    const result = await issueTokens(context, request);
    if (result.kind === 'refused') {
      return { kind: 'failed', code: 'not_allowed', reason: result.reason };
    }
    const { accessToken, refreshToken, connectionId, expiresIn } = result;
    const json = { accessToken, refreshToken, connectionId, expiresIn };
    const lines = [
      `Approved the app on behalf of ${email} and connected it (${connectionId}).`,
      `Access token, valid for ${expiresIn / 60} minutes at ${context.publicUrl}/partner/v1: ${accessToken}`,
      refreshToken === null
        ? 'No refresh token: offline_access is not in --scope.'
        : `Refresh token: ${refreshToken}`,
    ];
    return { kind: 'done', json, text: lines.join('\n') };
  },
});
