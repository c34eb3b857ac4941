import { listApps, registerApp, setAppEnabled } from '../apps/app.ts';
import { isScope, type Scope, SCOPES } from '../apps/scope.ts';
import { removeAppAndWebhook } from '../webhooks/end-connection.ts';
import { changeRedirectUris } from '../webhooks/redirect-uris.ts';
import { type Command, type CommandResult, listed } from './command.ts';
import { shopCommand } from './shop.ts';
import { OPERATOR } from '../shops/audit.ts';

/** Limit of one list. A shop has only a few apps. */
const LISTED_MAX = 1_000;

export const appOption = {
  value: 'CLIENT_ID',
  meaning: 'The app’s client id (app_…).',
  isRequired: true,
} as const;

/** The scopes in one argument, or the first word that is not a scope. */
export function readScopes(text: string): readonly Scope[] | { readonly unknown: string } {
  const words = text.split(' ').filter((word) => word !== '');
  const unknown = words.find((word) => !isScope(word));
  return unknown === undefined ? [...new Set(words.filter(isScope))] : { unknown };
}

/** The result for a word that is not a scope. */
export function misusedScope({ unknown }: { readonly unknown: string }): CommandResult {
  const reason = `"${unknown}" is no scope; there are ${SCOPES.join(' ')}`;
  return { kind: 'misused', reason };
}

export const appAdd: Command = shopCommand({
  name: 'app add',
  summary: 'Register an app of a shop. Its secret is shown once.',
  options: {
    name: { value: 'NAME', meaning: 'What members see when they are asked.', isRequired: true },
    'redirect-uri': {
      value: 'URI',
      meaning: 'Where the browser returns to: https, or http on a loopback host. Compared exactly.',
      isRequired: true,
      isRepeatable: true,
    },
    scope: {
      value: '"SCOPE …"',
      meaning: `What it may ask for, nothing implied: ${SCOPES.join(' ')}.`,
      isRequired: true,
    },
    'contact-email': { value: 'EMAIL', meaning: 'Whom to ask about the app.' },
    'share-cost': { meaning: 'Let it see what units cost (the member needs inventory.cost too).' },
  },
  async run(args, { db, clock, shop }) {
    const scopes = readScopes(args.text('scope'));
    if ('unknown' in scopes) return misusedScope(scopes);
    const app = {
      name: args.text('name'),
      contactEmail: args.optional('contact-email'),
      redirectUris: args.list('redirect-uri'),
      scopes,
      sharesCost: args.has('share-cost'),
    };
    const result = await db.transaction(
      async (tx) => await registerApp(tx, shop.id, app, clock.now(), OPERATOR),
    );
    if (result.kind === 'invalid') return { kind: 'misused', reason: result.reason };
    const { clientId } = result.app;
    return {
      kind: 'done',
      json: { clientId, clientSecret: result.secret },
      text: `Client id: ${clientId}\nClient secret, shown only now: ${result.secret}`,
    };
  },
});

export const appList: Command = shopCommand({
  name: 'app list',
  summary: 'List the apps of a shop, without those that were removed. Never a secret.',
  options: {},
  async run(_args, { db, shop }, { tell }) {
    const found = await listApps(db, shop.id, LISTED_MAX + 1);
    if (found.length > LISTED_MAX) tell(`cardport: only the first ${LISTED_MAX} apps are listed`);
    const apps = found.slice(0, LISTED_MAX).map((app) => ({
      clientId: app.clientId,
      name: app.name,
      isEnabled: app.isEnabled,
      scopes: app.scopes,
      redirectUris: app.redirectUris,
      createdAt: app.createdAt.toISOString(),
    }));
    const toLine = ({ clientId, name, isEnabled, redirectUris }: (typeof apps)[number]): string =>
      `${clientId}  ${isEnabled ? 'enabled ' : 'disabled'}  ${name}  ${redirectUris.join(' ')}`;
    return listed('apps', apps, toLine, 'There is no app yet.');
  },
});

export const appSet: Command = {
  name: 'app set',
  summary: 'Replace the redirect URIs of an app. A webhook of another origin goes with them.',
  options: {
    app: appOption,
    'redirect-uri': {
      value: 'URI',
      meaning: 'One of all it has from now on: https, or http on a loopback host.',
      isRequired: true,
      isRepeatable: true,
    },
  },
  async run(args, { db, clock }) {
    const clientId = args.text('app');
    const uris = args.list('redirect-uri');
    const result = await db.transaction(
      async (tx) => await changeRedirectUris(tx, clientId, uris, clock.now(), OPERATOR),
    );
    if (result.kind === 'invalid') return { kind: 'misused', reason: result.reason };
    if (result.kind === 'unknown') {
      return { kind: 'failed', reason: `there is no app ${clientId}` };
    }
    const { app, removedWebhookUrl } = result;
    const gone = removedWebhookUrl === null ? '' : `\nIts webhook went along: ${removedWebhookUrl}`;
    return {
      kind: 'done',
      json: { clientId, redirectUris: app.redirectUris, removedWebhookUrl },
      text: `${app.name} returns to ${app.redirectUris.join(' ')}.${gone}`,
    };
  },
};

function switchCommand(word: 'enable' | 'disable', summary: string): Command {
  const isEnabled = word === 'enable';
  return {
    name: `app ${word}`,
    summary,
    options: { app: appOption },
    async run(args, { db, clock }) {
      const clientId = args.text('app');
      const app = await db.transaction(
        async (tx) => await setAppEnabled(tx, clientId, isEnabled, clock.now(), OPERATOR),
      );
      if (app === undefined) return { kind: 'failed', reason: `there is no app ${clientId}` };
      return { kind: 'done', json: { clientId, isEnabled }, text: `${app.name} is ${word}d.` };
    },
  };
}

export const appEnable: Command = switchCommand(
  'enable',
  'Let a disabled app call again; what its webhook has missed is told in one notice.',
);

export const appDisable: Command = switchCommand(
  'disable',
  'Refuse the calls of an app until it is enabled again; its connection stays, and notices to its webhook wait.',
);

export const appRemove: Command = {
  name: 'app remove',
  summary: 'Remove an app for good: its connection ends, its secret and tokens stop working.',
  options: { app: appOption },
  async run(args, { db, clock }) {
    const clientId = args.text('app');
    const isRemoved = await db.transaction(
      async (tx) => await removeAppAndWebhook(tx, clientId, clock.now(), OPERATOR),
    );
    if (!isRemoved) return { kind: 'failed', reason: `there is no app ${clientId}` };
    return { kind: 'done', json: { clientId }, text: `Removed ${clientId}.` };
  },
};
