import { findApp, setAppEnabled, setRedirectUris } from '../apps/app.ts';
import { announce } from '../database/channel.ts';
import { expireArtifacts } from '../approvals/artifact.ts';
import { SCOPES, isScope, type Scope } from '../apps/scope.ts';
import { type Field, choiceField, accept, refuse, textField } from '../base/field.ts';
import { endConnection } from '../connections/connection.ts';
import { issueTokens } from '../oauth/issue-tokens.ts';
import {
  type AdminCall,
  adminCall,
  type AdminResult,
  successResult,
  type Unprocessable,
} from './admin-call.ts';
import { approve } from './approval.ts';
import type { Emulation } from './emulation.ts';
import { type EmulatedApp, FIRST_APP, FIXED_APPS, FIXED_SHOPS, PASSWORD } from './credentials.ts';
import { environmentOf, renderExports } from './exports.ts';
import { OPERATOR } from '../shops/audit.ts';

const URL_CHARACTERS_MAX = 4_000;
const NAME_CHARACTERS_MAX = 254;

/** An app by its client id. The default is the first app. */
const appField: Field<EmulatedApp> = {
  schema: { type: 'string' },
  parse: (_name, value) => {
    const found = FIXED_APPS.find(({ app }) => app.clientId === value);
    const fault = `The emulator has no app ${JSON.stringify(value)}.`;
    return found === undefined ? refuse(fault, true) : accept(found);
  },
};
const emailField = textField(NAME_CHARACTERS_MAX, 'The email address of a member.');
const scopesField: Field<readonly Scope[]> = {
  schema: { type: 'array' },
  parse: (name, value) => {
    const words: readonly unknown[] = Array.isArray(value) ? value : [];
    const scopes = SCOPES.filter((scope) => words.includes(scope));
    const areAll = words.every((word) => typeof word === 'string' && isScope(word));
    return areAll && scopes.length > 0
      ? accept(scopes)
      : refuse(`${name} must be an array of one or more of ${SCOPES.join(', ')}.`);
  },
};

interface TokenRequest {
  readonly clientId?: EmulatedApp | undefined;
  readonly email?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
}

const tokenFields = { clientId: appField, email: emailField, scopes: scopesField };

interface Issued extends EmulatedApp {
  readonly kind: 'issued';
  readonly scopes: readonly Scope[];
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly connectionId: string;
  readonly expiresIn: number;
}

async function issueTokensFor(
  { backend }: Emulation,
  { clientId: target = FIRST_APP, email, scopes = target.app.scopes }: TokenRequest,
): Promise<Issued | Unprocessable> {
  const { shop, app } = target;
  const member =
    email === undefined ? shop.members[0] : shop.members.find((each) => each.email === email);
  if (member === undefined) {
    const detail = `The shop ${shop.slug} has no member ${JSON.stringify(email)}.`;
    return { kind: 'unprocessable', detail };
  }
  const request = { shopId: shop.id, clientId: app.clientId, accountId: member.id, scopes };
  const issued = await issueTokens(backend, request);
  if (issued.kind === 'refused') return { kind: 'unprocessable', detail: `${issued.reason}.` };
  return { ...issued, ...target, kind: 'issued', scopes };
}

async function setEnabled(
  { backend }: Emulation,
  { app: { clientId } }: EmulatedApp,
  isEnabled: boolean,
): Promise<AdminResult> {
  await backend.db.transaction(
    async (tx) => await setAppEnabled(tx, clientId, isEnabled, backend.clock.now(), OPERATOR),
  );
  return successResult({ clientId, isEnabled });
}

export const accessCalls: readonly AdminCall[] = [
  adminCall({
    path: 'approvals',
    summary:
      'Open an authorization URL, sign in and allow (or deny), as a person in a browser would; returns the URL to which the browser was redirected.',
    fields: {
      authorizationUrl: textField(URL_CHARACTERS_MAX, 'The authorization URL.'),
      email: emailField,
      password: textField(
        NAME_CHARACTERS_MAX,
        'The password to sign in with. Set a wrong one to test a failed sign-in.',
      ),
      decision: choiceField(['allow', 'deny'], 'The button to press.'),
    },
    required: ['authorizationUrl'],
    run: async (emulation, { authorizationUrl = '', email, password, decision }) => {
      if (!URL.canParse(authorizationUrl)) {
        return { kind: 'unprocessable', detail: 'authorizationUrl must be a URL.' };
      }
      const clientId = new URL(authorizationUrl).searchParams.get('client_id');
      const { shop } = FIXED_APPS.find(({ app }) => app.clientId === clientId) ?? FIRST_APP;
      const site = { publicUrl: emulation.publicUrl, serviceUrl: emulation.backend.url };
      const result = await approve(site, authorizationUrl, {
        email: email ?? shop.members[0].email,
        password: password ?? PASSWORD,
        decision: decision ?? 'allow',
      });
      if (result.kind === 'unprocessable') return result;
      const { redirectUrl } = result;
      return successResult({ redirectUrl, code: new URL(redirectUrl).searchParams.get('code') });
    },
  }),
  adminCall({
    path: 'tokens',
    summary: 'Approve an app, connect it and return its tokens, without opening a page.',
    fields: tokenFields,
    run: async (emulation, members) => {
      const issued = await issueTokensFor(emulation, members);
      if (issued.kind === 'unprocessable') return issued;
      const { app, scopes, accessToken, refreshToken, connectionId, expiresIn } = issued;
      return successResult({
        access_token: accessToken,
        ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
        token_type: 'Bearer',
        expires_in: expiresIn,
        scope: scopes.join(' '),
        connectionId,
        clientId: app.clientId,
      });
    },
  }),
  adminCall({
    path: 'exports',
    summary:
      'Issue tokens like the call tokens, and return them as shell commands together with addresses and credentials: eval "$(curl -sX POST …/emulator/exports)".',
    fields: tokenFields,
    run: async (emulation, members) => {
      const issued = await issueTokensFor(emulation, members);
      if (issued.kind === 'unprocessable') return issued;
      const { accessToken, refreshToken, connectionId } = issued;
      const text = renderExports({
        ...environmentOf(emulation, issued),
        ACCESS_TOKEN: accessToken,
        REFRESH_TOKEN: refreshToken ?? '',
        CONNECTION_ID: connectionId,
      });
      return { kind: 'text', text };
    },
  }),
  adminCall({
    path: 'redirect-uris',
    summary:
      'Add a redirect URI to an app. A webhook with its origin can then be registered, so that a receiver can use any port.',
    fields: {
      redirectUri: textField(URL_CHARACTERS_MAX, 'A redirect URI.'),
      clientId: appField,
    },
    required: ['redirectUri'],
    run: async ({ backend }, { redirectUri = '', clientId: { app } = FIRST_APP }) => {
      const { clientId } = app;
      return await backend.db.transaction(async (tx): Promise<AdminResult> => {
        const { redirectUris: before = [] } = (await findApp(tx, clientId)) ?? {};
        const after = [...new Set([...before, redirectUri])];
        const result = await setRedirectUris(tx, clientId, after, backend.clock.now(), OPERATOR);
        if (result.kind === 'set') {
          return successResult({ clientId, redirectUris: result.app.redirectUris });
        }
        const reason = result.kind === 'invalid' ? result.reason : 'there is no such app';
        return { kind: 'unprocessable', detail: `${reason}.` };
      });
    },
  }),
  adminCall({
    path: 'faults/revoke-connection',
    summary:
      'End the connection of an app, as its shop would. The app’s requests then get 403 connection_revoked.',
    fields: { clientId: appField },
    run: async ({ backend }, { clientId: { shop, app } = FIRST_APP }) => {
      const { clientId } = app;
      const isEnded = await backend.db.transaction(
        async (tx) =>
          await endConnection(tx, shop.id, clientId, 'shop', backend.clock.now(), OPERATOR),
      );
      return successResult({ clientId, isEnded });
    },
  }),
  adminCall({
    path: 'faults/disable-app',
    summary:
      'Disable an app, as its shop would. The app’s requests then get 403 client_disabled; its tokens stay valid.',
    fields: { clientId: appField },
    run: async (emulation, { clientId = FIRST_APP }) =>
      await setEnabled(emulation, clientId, false),
  }),
  adminCall({
    path: 'faults/enable-app',
    summary: 'Enable an app again. Its connection and tokens work as before.',
    fields: { clientId: appField },
    run: async (emulation, { clientId = FIRST_APP }) => await setEnabled(emulation, clientId, true),
  }),
  adminCall({
    path: 'faults/expire-access-tokens',
    summary:
      'Expire every access token now. Requests with one get 401 invalid_token. Refresh tokens stay valid.',
    fields: {},
    run: async ({ backend }) => {
      const expired = await backend.db.transaction(async (tx) => {
        const count = await tx.count(expireArtifacts, ['AccessToken', backend.clock.now()]);
        for (const { id } of FIXED_SHOPS) await announce(tx, 'access', id);
        return count;
      });
      return successResult({ expired });
    },
  }),
];
