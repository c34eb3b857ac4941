import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { isLoopbackHost } from './base/loopback.ts';
import type { MailSender, MailSettings } from './base/mail-settings.ts';
import type { PhotoStore } from './base/photo-store.ts';
import type { RateLimits } from './base/rate-limits.ts';
import { ConfigFault, type Hidden, type TrustProxy } from './config-values.ts';
import { type Variable, variables } from './config-variables.ts';

/** The service's settings: typed, frozen, read once at the start. docs/configuration.md tells what each is for. */
export interface Config {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** An origin, without a slash at its end. */
  readonly publicUrl: string;
  /** False: `publicUrl` follows the port, whichever that turns out to be. */
  readonly isPublicUrlGiven: boolean;
  readonly store: Store;
  /** Null: made and kept in `DATA_DIR`. */
  readonly secretKey: Hidden | null;
  /** The one before, while it is changed; null: none. */
  readonly secretKeyPrevious: Hidden | null;
  readonly photoStore: PhotoStore;
  readonly mail: MailSettings;
  /** Null: no limits. */
  readonly rateLimits: RateLimits | null;
  readonly allowsLoopbackWebhooks: boolean;
  readonly trustProxy: TrustProxy;
  /** Null: no metrics are served. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  readonly refreshReplay: 'header' | 'always' | 'never';
  readonly restoredTokenDays: number;
  readonly logLevel: 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
  readonly databaseConnectionsMax: number;
  /** How long a start waits for a database that is away. */
  readonly databaseWaitSeconds: number;
  readonly drainNoticeSeconds: number;
  readonly drainSeconds: number;
  /** True under `npm start` and `npx`, which end without passing SIGTERM on. */
  readonly isStartedByNpm: boolean;
}

/** Where the data is; `embedded` is the packaged PostgreSQL in `DATA_DIR`. */
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
  const faults = [...findValueFaults(environment), ...findContradictions(environment)];
  if (faults.length > 0) return { kind: 'faults', faults };
  return { kind: 'config', config: Object.freeze(assemble(environment)) };
}

function findValueFaults(environment: Environment): string[] {
  return Object.keys(variables).flatMap((name) => {
    const fault = attempt(environment, name as Name).fault;
    return fault === null ? [] : [`${name} ${fault}`];
  });
}

/** Faults that lie between two variables; one that is faulty by itself is told of already. */
function findContradictions(environment: Environment): string[] {
  const faults: string[] = [];
  if (isGiven(environment, 'DATABASE_URL') && !isGiven(environment, 'SECRET_KEY')) {
    faults.push('SECRET_KEY is required with DATABASE_URL, the same on every node');
  }
  const publicUrl = attempt(environment, 'PUBLIC_URL').value;
  const isPublic = typeof publicUrl === 'string' && !isLoopbackHost(new URL(publicUrl).hostname);
  if (isPublic && attempt(environment, 'ALLOW_LOOPBACK_WEBHOOKS').value === true) {
    faults.push('ALLOW_LOOPBACK_WEBHOOKS is for development: PUBLIC_URL must be loopback');
  }
  return faults;
}

function assemble(environment: Environment): Config {
  const { port, host } = { port: must(environment, 'PORT'), host: must(environment, 'HOST') };
  const folder = resolve(must(environment, 'DATA_DIR'));
  const databaseUrl = may(environment, 'DATABASE_URL');
  const metricsPort = may(environment, 'METRICS_PORT');
  const publicUrl = may(environment, 'PUBLIC_URL') ?? `http://127.0.0.1:${port}`;
  return {
    port,
    host,
    publicUrl,
    isPublicUrlGiven: isGiven(environment, 'PUBLIC_URL'),
    store:
      databaseUrl === null
        ? { kind: 'packaged', folder }
        : { kind: 'postgresql', url: databaseUrl },
    secretKey: may(environment, 'SECRET_KEY'),
    secretKeyPrevious: may(environment, 'SECRET_KEY_PREVIOUS'),
    photoStore: may(environment, 'PHOTO_STORE') ?? { kind: 'folder', path: join(folder, 'photos') },
    mail: {
      target: may(environment, 'MAIL_URL') ?? { kind: 'folder', path: join(folder, 'mail') },
      from: may(environment, 'MAIL_FROM') ?? senderAt(new URL(publicUrl).hostname),
    },
    rateLimits: must(environment, 'RATE_LIMITS'),
    allowsLoopbackWebhooks: must(environment, 'ALLOW_LOOPBACK_WEBHOOKS'),
    trustProxy: must(environment, 'TRUST_PROXY'),
    metrics:
      metricsPort === null ? null : { port: metricsPort, host: must(environment, 'METRICS_HOST') },
    refreshReplay: must(environment, 'REFRESH_REPLAY'),
    restoredTokenDays: must(environment, 'RESTORED_TOKENS_DAYS'),
    logLevel: must(environment, 'LOG_LEVEL'),
    databaseConnectionsMax: must(environment, 'DATABASE_CONNECTIONS'),
    databaseWaitSeconds: must(environment, 'DATABASE_WAIT_SECONDS'),
    drainNoticeSeconds: must(environment, 'DRAIN_NOTICE_SECONDS'),
    drainSeconds: must(environment, 'DRAIN_SECONDS'),
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

type Name = keyof typeof variables;
type ValueOf<N extends Name> = ReturnType<(typeof variables)[N]['parse']>;

function isGiven(environment: Environment, name: Name): boolean {
  return (environment[name]?.trim() ?? '') !== '';
}

/** The value of a variable, null where there is none; or its fault. */
function attempt<N extends Name>(
  environment: Environment,
  name: N,
): { readonly value: ValueOf<N> | null; readonly fault: string | null } {
  const { byDefault, parse } = variables[name] as Variable<ValueOf<N>>;
  const text = isGiven(environment, name) ? environment[name]?.trim() : byDefault;
  if (text === undefined || text === null) return { value: null, fault: null };
  try {
    return { value: parse(text), fault: null };
  } catch (error) {
    if (error instanceof ConfigFault) return { value: null, fault: error.message };
    throw error;
  }
}

/** The value of a variable that has been found without fault, or null where it was not given. */
function may<N extends Name>(environment: Environment, name: N): ValueOf<N> | null {
  return attempt(environment, name).value;
}

/** The value of a variable that has a default. */
function must<N extends Name>(environment: Environment, name: N): ValueOf<N> {
  const { value, fault } = attempt(environment, name);
  // RATE_LIMITS=off is null by its meaning.
  if (value === null && (fault !== null || variables[name].byDefault === null)) {
    throw new Error(`${name} has no value`);
  }
  return value as ValueOf<N>;
}
