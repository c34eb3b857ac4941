import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { isLoopbackHost } from '../base/loopback.ts';
import type { MailSender, MailSettings } from '../base/mail-settings.ts';
import type { PhotoStore } from '../base/photo-store.ts';
import { ConfigFault, type Hidden } from './values.ts';
import { type VariableName, type VariableValues, variables } from './variables.ts';

/** The service's settings: typed, frozen, read once at the start. docs/configuration.md tells what each is for. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** An origin, without a slash at its end. */
  readonly publicUrl: string;
  /** False: `publicUrl` follows the port, whichever that turns out to be. */
  readonly isPublicUrlGiven: boolean;
  readonly store: Store;
  /** Null: made and kept in `DATA_DIR`. */
  readonly secretKey: Hidden | null;
  readonly secretKeyPrevious: Hidden | null;
  readonly photoStore: PhotoStore;
  readonly mail: MailSettings;
  /** Null: no limits. */
  readonly rateLimits: VariableValues['RATE_LIMITS'];
  readonly allowsLoopbackWebhooks: boolean;
  readonly trustProxy: VariableValues['TRUST_PROXY'];
  /** Null: no metrics are served. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  readonly refreshReplay: VariableValues['REFRESH_REPLAY'];
  readonly restoredTokenDays: number;
  readonly logLevel: VariableValues['LOG_LEVEL'];
  readonly databaseConnectionsMax: number;
  readonly databaseWaitSeconds: number;
  readonly drainNoticeSeconds: number;
  readonly drainSeconds: number;
  readonly isStartedByNpm: boolean;
}

/** Where the data is; `packaged` is the packaged PostgreSQL in `DATA_DIR`. */
export type Store =
  | { readonly kind: 'packaged'; readonly folder: string }
  | { readonly kind: 'postgresql'; readonly url: Hidden };

export type ReadConfigResult =
  | { readonly kind: 'config'; readonly config: Config }
  /** Every fault at once, each a sentence that begins with the variable's name and shows no secret. */
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings from an environment. An empty variable counts as not given. */
export function readConfig(environment: Environment): ReadConfigResult {
  const { values, faults } = readVariables(environment);
  const all = [...faults, ...findContradictions(environment, values)];
  if (all.length > 0) return { kind: 'faults', faults: all };
  return { kind: 'config', config: Object.freeze(assemble(environment, values)) };
}

/** Reads each variable by its row of the table. One with a fault has the value null, and no configuration is made of it. */
function readVariables(environment: Environment): {
  readonly values: VariableValues;
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  const read = (name: VariableName): unknown => {
    const { byDefault, parse } = variables[name];
    const text = textOf(environment, name) ?? byDefault;
    if (text === null) return null;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof ConfigFault)) throw error;
      faults.push(`${name} ${error.message}`);
      return null;
    }
  };
  const names = Object.keys(variables) as VariableName[];
  const values = Object.fromEntries(names.map((name) => [name, read(name)])) as VariableValues;
  return { values, faults };
}

/** What was given for a variable, or null. */
function textOf(environment: Environment, name: VariableName): string | null {
  const text = environment[name]?.trim() ?? '';
  return text === '' ? null : text;
}

/** Faults that lie between two variables; one that is faulty by itself is told of already. */
function findContradictions(
  environment: Environment,
  { PUBLIC_URL: publicUrl, ALLOW_LOOPBACK_WEBHOOKS: allowsLoopback }: VariableValues,
): string[] {
  const faults: string[] = [];
  if (textOf(environment, 'DATABASE_URL') !== null && textOf(environment, 'SECRET_KEY') === null) {
    faults.push('SECRET_KEY is required with DATABASE_URL, the same on every node');
  }
  const isPublic = publicUrl !== null && !isLoopbackHost(new URL(publicUrl).hostname);
  if (isPublic && allowsLoopback) {
    faults.push('ALLOW_LOOPBACK_WEBHOOKS is for development: PUBLIC_URL must be loopback');
  }
  return faults;
}

function assemble(environment: Environment, values: VariableValues): Config {
  const folder = resolve(values.DATA_DIR);
  const publicUrl = values.PUBLIC_URL ?? `http://127.0.0.1:${values.PORT}`;
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl,
    isPublicUrlGiven: values.PUBLIC_URL !== null,
    store:
      values.DATABASE_URL === null
        ? { kind: 'packaged', folder }
        : { kind: 'postgresql', url: values.DATABASE_URL },
    secretKey: values.SECRET_KEY,
    secretKeyPrevious: values.SECRET_KEY_PREVIOUS,
    photoStore: values.PHOTO_STORE ?? { kind: 'folder', path: join(folder, 'photos') },
    mail: {
      target: values.MAIL_URL ?? { kind: 'folder', path: join(folder, 'mail') },
      from: values.MAIL_FROM ?? senderAt(new URL(publicUrl).hostname),
    },
    rateLimits: values.RATE_LIMITS,
    allowsLoopbackWebhooks: values.ALLOW_LOOPBACK_WEBHOOKS,
    trustProxy: values.TRUST_PROXY,
    metrics:
      values.METRICS_PORT === null
        ? null
        : { port: values.METRICS_PORT, host: values.METRICS_HOST },
    refreshReplay: values.REFRESH_REPLAY,
    restoredTokenDays: values.RESTORED_TOKENS_DAYS,
    logLevel: values.LOG_LEVEL,
    databaseConnectionsMax: values.DATABASE_CONNECTIONS,
    databaseWaitSeconds: values.DATABASE_WAIT_SECONDS,
    drainNoticeSeconds: values.DRAIN_NOTICE_SECONDS,
    drainSeconds: values.DRAIN_SECONDS,
    isStartedByNpm: isStartedByNpm(environment),
  };
}

/** An address of mail has a host name. */
function senderAt(hostname: string): MailSender {
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return { name: 'Cardport', address: `no-reply@${isAddress ? 'localhost' : hostname}` };
}

/** Whether npm or npx has started this process, which end without passing a signal on. */
export function isStartedByNpm(environment: Environment): boolean {
  // Set by npm itself: the command that it runs. Below another script's command its end says nothing.
  return environment['npm_lifecycle_script']?.includes('cardport') === true;
}
