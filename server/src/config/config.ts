import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { isLoopbackHost } from '../base/loopback.ts';
import type { MailSender, MailSettings } from '../base/mail-settings.ts';
import type { PhotoStoreSettings } from '../base/photo-store.ts';
import { readTracingSettings, type TracingSettings } from './tracing-settings.ts';
import { readSecretFiles } from './secret-files.ts';
import { ConfigError, type HiddenText } from './values.ts';
import { type VariableName, type VariableValues, variables } from './variables.ts';

/** The configuration, which is read once at startup (docs/configuration.md). */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** The origin of the service's public URLs, without a trailing slash. */
  readonly publicUrl: string;
  /** If false, `publicUrl` is a loopback address with the port that the service listens on. */
  readonly isPublicUrlGiven: boolean;
  readonly store: DatabaseLocation;
  /** `DATA_DIR` */
  readonly folder: string;
  /** If null, the service generates a key and stores it in `DATA_DIR`. */
  readonly secretKey: HiddenText | null;
  readonly secretKeyPrevious: HiddenText | null;
  readonly photoStore: PhotoStoreSettings;
  readonly mail: MailSettings;
  /** The rate limits; null disables rate limiting. */
  readonly rateLimits: VariableValues['RATE_LIMITS'];
  readonly allowsLoopbackWebhooks: boolean;
  readonly trustProxy: VariableValues['TRUST_PROXY'];
  /** The address on which metrics are served, or null if they are not served. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  readonly refreshReplay: VariableValues['REFRESH_REPLAY'];
  readonly restoredTokenDays: number;
  readonly shopUnitsMax: number;
  readonly onRestore: VariableValues['ON_RESTORE'];
  readonly databaseFailsOver: boolean;
  readonly logLevel: VariableValues['LOG_LEVEL'];
  readonly databaseConnectionsMax: number;
  readonly databaseWaitSeconds: number;
  readonly drainNoticeSeconds: number;
  readonly drainSeconds: number;
  readonly tracing: TracingSettings;
  readonly isStartedByNpm: boolean;
}

/** Where the data is stored. `packaged` means the packaged PostgreSQL in `DATA_DIR`. */
export type DatabaseLocation =
  | { readonly kind: 'packaged'; readonly folder: string }
  | { readonly kind: 'postgresql'; readonly url: HiddenText };

export type ReadConfigResult =
  | { readonly kind: 'config'; readonly config: Config }
  /** Each problem is a sentence that starts with the variable's name and contains no secret. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the configuration from environment variables. An empty variable counts as unset. */
export function readConfig(given: Environment): ReadConfigResult {
  const { environment, problems: ofFiles } = readSecretFiles(given);
  const { values, problems } = readVariables(environment);
  const all = [...ofFiles, ...problems, ...findContradictions(environment, values)];
  if (all.length > 0) return { kind: 'invalid', problems: all };
  return { kind: 'config', config: Object.freeze(assemble(environment, values)) };
}

/** Parses every variable. The value of an invalid variable is null, and its problem is listed. */
function readVariables(environment: Environment): {
  readonly values: VariableValues;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const read = (name: VariableName): unknown => {
    const { byDefault, parse } = variables[name];
    const text = textOf(environment, name) ?? byDefault;
    if (text === null) return null;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(`${name} ${error.message}`);
      return null;
    }
  };
  const names = Object.keys(variables) as VariableName[];
  const values = Object.fromEntries(names.map((name) => [name, read(name)])) as VariableValues;
  return { values, problems };
}

function textOf(environment: Environment, name: VariableName): string | null {
  const text = environment[name]?.trim() ?? '';
  return text === '' ? null : text;
}

/** Lists contradictions between variables. Invalid variables are reported elsewhere. */
function findContradictions(
  environment: Environment,
  { PUBLIC_URL: publicUrl, ALLOW_LOOPBACK_WEBHOOKS: allowsLoopback }: VariableValues,
): string[] {
  const problems: string[] = [];
  if (textOf(environment, 'DATABASE_URL') !== null && textOf(environment, 'SECRET_KEY') === null) {
    problems.push(
      'SECRET_KEY is required when DATABASE_URL is set; use the same value on every node',
    );
  }
  const isPublic = publicUrl !== null && !isLoopbackHost(new URL(publicUrl).hostname);
  if (isPublic && allowsLoopback) {
    problems.push(
      'ALLOW_LOOPBACK_WEBHOOKS is for development only: it requires a loopback PUBLIC_URL',
    );
  }
  return problems;
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
    folder,
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
    shopUnitsMax: values.SHOP_UNITS_MAX,
    onRestore: values.ON_RESTORE,
    databaseFailsOver: values.DATABASE_FAILS_OVER,
    logLevel: values.LOG_LEVEL,
    databaseConnectionsMax: values.DATABASE_CONNECTIONS,
    databaseWaitSeconds: values.DATABASE_WAIT_SECONDS,
    drainNoticeSeconds: values.DRAIN_NOTICE_SECONDS,
    drainSeconds: values.DRAIN_SECONDS,
    tracing: readTracingSettings(environment),
    isStartedByNpm: isStartedByNpm(environment),
  };
}

/** Uses `localhost` instead of an IP address, because mail addresses need a host name. */
function senderAt(hostname: string): MailSender {
  const isIpAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return { name: 'Cardport', address: `no-reply@${isIpAddress ? 'localhost' : hostname}` };
}

/**
 * Returns whether npm or npx started this process. If a signal ends npm, npm does not forward the
 * signal.
 */
export function isStartedByNpm(environment: Environment): boolean {
  // npm sets this variable to the script that it runs. Only if that script starts Cardport must
  // Cardport stop when npm exits.
  return environment['npm_lifecycle_script']?.includes('cardport') === true;
}
