import { findApp, listApps, registerApp, setAppEnabled } from '../apps/app.ts';
import { isScope, type Scope, SCOPES } from '../apps/scope.ts';
import type { Transaction } from '../database/database.ts';
import {
  changeRedirectUris,
  type ChangeRedirectUrisResult,
} from '../webhooks/change-redirect-uris.ts';
import { findRemovalEffects, removeAppAndWebhooks } from '../webhooks/end-connection.ts';
import { type Command, type CommandResult, listResult } from './command.ts';
import { CONFIRM_OPTIONS, confirmChange, previewChange } from './confirm.ts';
import { shopCommand } from './shop.ts';
import { OPERATOR } from '../shops/audit.ts';

/** The maximum number of listed apps. A shop has only a few. */
const LISTED_MAX = 1_000;

export const appOption = {
  value: 'CLIENT_ID',
  meaning: 'The app’s client id (app_…).',
  isRequired: true,
} as const;

/** Returns the scopes in a text, or the first word that is not a scope. */
export function readScopes(text: string): readonly Scope[] | { readonly unknown: string } {
  const words = text.split(' ').filter((word) => word !== '');
  const unknown = words.find((word) => !isScope(word));
  return unknown === undefined ? [...new Set(words.filter(isScope))] : { unknown };
}

export function unknownScopeResult({ unknown }: { readonly unknown: string }): CommandResult {
  const reason = `"${unknown}" is not a scope. The scopes are ${SCOPES.join(' ')}`;
  return { kind: 'misused', reason };
}

export const appAdd: Command = shopCommand({
  name: 'app add',
  summary: 'Register an app for a shop. The secret is shown only once.',
  options: {
    name: {
      value: 'NAME',
      meaning: 'The name that members see on the approval page.',
      isRequired: true,
    },
    'redirect-uri': {
      value: 'URI',
      meaning:
        'A URL to which the browser may return: https, or http on a loopback host. It must match exactly.',
      isRequired: true,
      isRepeatable: true,
    },
    scope: {
      value: '"SCOPE …"',
      meaning: `The scopes that the app may request, separated by spaces: ${SCOPES.join(' ')}.`,
      isRequired: true,
    },
    'contact-email': { value: 'EMAIL', meaning: 'The e-mail address of the contact for the app.' },
    'share-cost': {
      meaning: 'Let the app see what units cost (the approving member also needs inventory.cost).',
    },
  },
  async run(args, { db, clock, shop }) {
    const scopes = readScopes(args.text('scope'));
    if ('unknown' in scopes) return unknownScopeResult(scopes);
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
      text: `Client id: ${clientId}\nClient secret (shown only once): ${result.secret}`,
    };
  },
});

export const appList: Command = shopCommand({
  name: 'app list',
  summary: 'List the apps of a shop, except removed ones. Secrets are never shown.',
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
    return listResult('apps', apps, toLine, 'There are no apps yet.');
  },
});

function unknownApp(clientId: string): CommandResult {
  return { kind: 'failed', code: 'not_found', reason: `there is no app ${clientId}` };
}

interface RedirectChange {
  readonly redirectUris: readonly string[];
  readonly removedRedirectUris: readonly string[];
  readonly removedWebhookUrl: string | null;
}

function describeRedirects(verb: 'would be' | 'are now', change: RedirectChange): string {
  const { redirectUris, removedRedirectUris, removedWebhookUrl } = change;
  const lines = [`The redirect URIs ${verb} ${redirectUris.join(' ')}`];
  if (removedRedirectUris.length > 0) lines.push(`Removed: ${removedRedirectUris.join(' ')}`);
  if (removedWebhookUrl !== null) lines.push(`Removed webhook: ${removedWebhookUrl}`);
  return lines.join('\n');
}

export const appSet: Command = {
  name: 'app set',
  summary:
    'Replace the redirect URIs of an app. Removes its webhook if no new URI has the same origin.',
  options: {
    app: appOption,
    'redirect-uri': {
      value: 'URI',
      meaning:
        'A redirect URI: https, or http on a loopback host. The app keeps only the URIs given here.',
      isRequired: true,
      isRepeatable: true,
    },
    ...CONFIRM_OPTIONS,
  },
  async run(args, { db, clock }, input) {
    const clientId = args.text('app');
    const uris = args.list('redirect-uri');
    const before = await findApp(db, clientId);
    const change = async (tx: Transaction): Promise<ChangeRedirectUrisResult> =>
      await changeRedirectUris(tx, clientId, uris, clock.now(), OPERATOR);
    const describe = (result: ChangeRedirectUrisResult): RedirectChange | CommandResult => {
      if (result.kind === 'invalid') return { kind: 'misused', reason: result.reason };
      if (result.kind === 'unknown' || before === undefined) return unknownApp(clientId);
      const { removedWebhookUrl } = result;
      const kept = result.app.redirectUris;
      const removedRedirectUris = before.redirectUris.filter((uri) => !kept.includes(uri));
      return { redirectUris: kept, removedRedirectUris, removedWebhookUrl };
    };
    const planned = describe(await previewChange(db, change));
    if ('kind' in planned) return planned;
    // Only a webhook is lost for good: the app must register it again, with a new secret.
    if (planned.removedWebhookUrl !== null || args.has('dry-run')) {
      const stopped = await confirmChange(args, input, {
        json: { clientId },
        effects: planned,
        sentence: describeRedirects('would be', planned),
        act: 'replace the redirect URIs',
      });
      if (stopped !== null) return stopped;
    }
    const changed = describe(await db.transaction(change));
    if ('kind' in changed) return changed;
    const json = { clientId, ...changed };
    return { kind: 'done', json, text: describeRedirects('are now', changed) };
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
      if (app === undefined) return unknownApp(clientId);
      return { kind: 'done', json: { clientId, isEnabled }, text: `${app.name} is ${word}d.` };
    },
  };
}

export const appEnable: Command = switchCommand(
  'enable',
  'Enable a disabled app. Its webhook gets one event for all missed changes.',
);

export const appDisable: Command = switchCommand(
  'disable',
  'Disable an app: its requests are refused until it is enabled again. Its connection stays, and deliveries to its webhook are paused.',
);

export const appRemove: Command = {
  name: 'app remove',
  summary:
    'Remove an app permanently. Its connection ends, and its secret and tokens stop working.',
  options: { app: appOption, ...CONFIRM_OPTIONS },
  async run(args, { db, clock }, input) {
    const clientId = args.text('app');
    const app = await findApp(db, clientId);
    if (app === undefined || app.removedAt !== null) return unknownApp(clientId);
    const effects = await findRemovalEffects(db, app.shopId, clientId);
    const { connections, approvals, webhooks } = effects;
    const ended = `connections: ${connections}, approvals: ${approvals}, webhooks: ${webhooks}`;
    const stopped = await confirmChange(args, input, {
      json: { clientId, name: app.name },
      effects,
      sentence: `Removing ${app.name} ends what it has (${ended}), and its secrets and tokens stop working. It cannot be undone; app disable can.`,
      act: 'remove the app',
    });
    if (stopped !== null) return stopped;
    const isRemoved = await db.transaction(
      async (tx) => await removeAppAndWebhooks(tx, clientId, clock.now(), OPERATOR),
    );
    if (!isRemoved) return unknownApp(clientId);
    return { kind: 'done', json: { clientId }, text: `Removed ${clientId}.` };
  },
};
