import {
  findApp,
  setAppEnabled,
  setRedirectUris,
  type SetRedirectUrisResult,
} from '../apps/app.ts';
import { announce } from '../database/channel.ts';
import { expireAccessTokens } from '../grants/artifact.ts';
import { SCOPES, isScope, type Scope } from '../apps/scope.ts';
import { type Field, choiceField, read, refuse, textField } from '../base/field.ts';
import { endConnection } from '../connections/connection.ts';
import { issueTokens } from '../oauth/issue-tokens.ts';
import {
  type AdminCall,
  type AdminContext,
  adminCall,
  type AdminResult,
  done,
} from './admin-call.ts';
import { approve } from './approval.ts';
import { FIXED_SHOPS, PASSWORD } from './fixed.ts';
import { findNamedApp, findNamedMember, type NamedApp, type Unfit } from './named.ts';
import { exportsOf, renderExports } from './exports.ts';
import { OPERATOR } from '../shops/audit.ts';

const URL_CHARACTERS_MAX = 4_000;
const NAME_CHARACTERS_MAX = 254;

/** Which app; `app_emulated` when it is not given. */
export const clientIdField = textField(NAME_CHARACTERS_MAX, 'The client id of an app.');
const emailField = textField(NAME_CHARACTERS_MAX, 'The e-mail address of a member.');

const scopesField: Field<readonly Scope[]> = {
  schema: { type: 'array' },
  read: (name, value) => {
    const words: readonly unknown[] = Array.isArray(value) ? value : [];
    const scopes = SCOPES.filter((scope) => words.includes(scope));
    const areAll = words.every((word) => typeof word === 'string' && isScope(word));
    return areAll && scopes.length > 0
      ? read(scopes)
      : refuse(`${name} must be an array of one or more of ${SCOPES.join(', ')}.`);
  },
};

/** Whose tokens are wanted. */
interface TokenWish {
  readonly clientId?: string | undefined;
  readonly email?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
}

interface IssuedFor extends NamedApp {
  readonly scopes: readonly Scope[];
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly connectionId: string;
  readonly expiresIn: number;
}

async function issueFor(
  { emulation }: AdminContext,
  { clientId, email, scopes }: TokenWish,
): Promise<IssuedFor | Unfit> {
  const named = findNamedApp(clientId);
  if (named.kind === 'unfit') return named;
  const { shop, app } = named;
  const found = findNamedMember(shop, email);
  if (found.kind === 'unfit') return found;
  const asked = scopes ?? app.scopes;
  const order = {
    shopId: shop.id,
    clientId: app.clientId,
    accountId: found.member.id,
    scopes: asked,
  };
  const issued = await issueTokens(emulation.backend, order);
  if (issued.kind === 'refused') return { kind: 'unfit', detail: `${issued.reason}.` };
  return { ...issued, ...named, scopes: asked };
}

const tokens = adminCall({
  path: 'tokens',
  summary: 'Approve an app, connect it and answer its tokens, without any page.',
  fields: { clientId: clientIdField, email: emailField, scopes: scopesField },
  run: async (context, members) => {
    const issued = await issueFor(context, members);
    if (issued.kind === 'unfit') return issued;
    const { app, scopes, accessToken, refreshToken, connectionId, expiresIn } = issued;
    return done({
      access_token: accessToken,
      ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope: scopes.join(' '),
      connectionId,
      clientId: app.clientId,
    });
  },
});

const exports = adminCall({
  path: 'exports',
  summary:
    'The same tokens as lines for a shell, with addresses and credentials: eval "$(curl -sX POST …/emulator/exports)".',
  fields: { clientId: clientIdField, email: emailField, scopes: scopesField },
  run: async (context, members) => {
    const issued = await issueFor(context, members);
    if (issued.kind === 'unfit') return issued;
    const { shop, app, accessToken, refreshToken, connectionId } = issued;
    return {
      kind: 'text',
      text: renderExports({
        ...exportsOf(context.emulation, shop, app),
        ACCESS_TOKEN: accessToken,
        REFRESH_TOKEN: refreshToken ?? '',
        CONNECTION_ID: connectionId,
      }),
    };
  },
});

const approvals = adminCall({
  path: 'approvals',
  summary:
    'Open an authorization URL, sign in and allow (or deny), as a person in a browser; answers where the browser was sent.',
  fields: {
    authorizationUrl: textField(URL_CHARACTERS_MAX, 'The authorization request.'),
    email: emailField,
    password: textField(NAME_CHARACTERS_MAX, 'Another password than the right one.'),
    decision: choiceField(['allow', 'deny'], 'Which button is pressed.'),
  },
  required: ['authorizationUrl'],
  run: async ({ emulation }, { authorizationUrl = '', email, password, decision }) => {
    if (!URL.canParse(authorizationUrl)) {
      return { kind: 'unfit', detail: 'authorizationUrl is no address.' };
    }
    const clientId = new URL(authorizationUrl).searchParams.get('client_id');
    const shop = FIXED_SHOPS.find(({ apps }) => apps.some((app) => app.clientId === clientId));
    const site = { publicUrl: emulation.publicUrl, serviceUrl: emulation.backend.url };
    const result = await approve(site, authorizationUrl, {
      email: email ?? (shop ?? FIXED_SHOPS[0]).members[0].email,
      password: password ?? PASSWORD,
      decision: decision ?? 'allow',
    });
    if (result.kind === 'unfit') return result;
    const { redirectUrl } = result;
    return done({ redirectUrl, code: new URL(redirectUrl).searchParams.get('code') });
  },
});

const revokeConnection = adminCall({
  path: 'faults/revoke-connection',
  summary:
    'End the connection of an app, as its shop does: its calls answer 403 connection_revoked.',
  fields: { clientId: clientIdField },
  run: async ({ emulation: { backend } }, { clientId }) => {
    const named = findNamedApp(clientId);
    if (named.kind === 'unfit') return named;
    const { shop, app } = named;
    const isEnded = await backend.db.transaction(
      async (tx) =>
        await endConnection(tx, shop.id, app.clientId, 'shop', backend.clock.now(), OPERATOR),
    );
    return done({ clientId: app.clientId, isEnded });
  },
});

async function switchApp(
  { emulation: { backend } }: AdminContext,
  clientId: string | undefined,
  isEnabled: boolean,
): Promise<AdminResult> {
  const named = findNamedApp(clientId);
  if (named.kind === 'unfit') return named;
  const { app } = named;
  await backend.db.transaction(
    async (tx) => await setAppEnabled(tx, app.clientId, isEnabled, backend.clock.now(), OPERATOR),
  );
  return done({ clientId: app.clientId, isEnabled });
}

const redirectUris = adminCall({
  path: 'redirect-uris',
  summary:
    'One more redirect URI of an app: a webhook of its origin can be registered then, so that a receiver may take any port.',
  fields: {
    redirectUri: textField(URL_CHARACTERS_MAX, 'A redirect URI.'),
    clientId: clientIdField,
  },
  required: ['redirectUri'],
  run: async ({ emulation: { backend } }, { redirectUri = '', clientId }) => {
    const named = findNamedApp(clientId);
    if (named.kind === 'unfit') return named;
    const id = named.app.clientId;
    return await backend.db.transaction(async (tx): Promise<AdminResult> => {
      const { redirectUris: before = [] } = (await findApp(tx, id)) ?? {};
      const after = [...new Set([...before, redirectUri])];
      const result = await setRedirectUris(tx, id, after, backend.clock.now(), OPERATOR);
      if (result.kind !== 'set') return { kind: 'unfit', detail: `${explain(result)}.` };
      return done({ clientId: id, redirectUris: result.app.redirectUris });
    });
  },
});

function explain(result: Exclude<SetRedirectUrisResult, { readonly kind: 'set' }>): string {
  return result.kind === 'invalid' ? result.reason : 'there is no such app';
}

const expireAccess = adminCall({
  path: 'faults/expire-access-tokens',
  summary: 'End the life of every access token now: 401 invalid_token. Refresh tokens live on.',
  fields: {},
  run: async ({ emulation: { backend } }) => {
    const expired = await backend.db.transaction(async (tx) => {
      const count = await expireAccessTokens(tx, backend.clock.now());
      for (const { id } of FIXED_SHOPS) await announce(tx, 'access', id);
      return count;
    });
    return done({ expired });
  },
});

const disableApp = adminCall({
  path: 'faults/disable-app',
  summary:
    'Switch an app off, as its shop does: its calls answer 403 client_disabled, its tokens live on.',
  fields: { clientId: clientIdField },
  run: async (context, { clientId }) => await switchApp(context, clientId, false),
});

const enableApp = adminCall({
  path: 'faults/enable-app',
  summary: 'Switch an app on again: everything goes on as before.',
  fields: { clientId: clientIdField },
  run: async (context, { clientId }) => await switchApp(context, clientId, true),
});

/** Calls that give access, and take it. */
export const accessCalls: readonly AdminCall[] = [
  approvals,
  tokens,
  exports,
  redirectUris,
  revokeConnection,
  disableApp,
  enableApp,
  expireAccess,
];
