import type { Fetch } from './platform.ts';
import type { RetryNews, RetryPolicy } from './retry.ts';
import type { Scope } from './scope.ts';
import { faultOfAddress } from './service-address.ts';
import type { TokenStore } from './tokens.ts';

/** What an app knows of itself and of the service. */
export interface PartnerAppOptions {
  /** The address of the Partner API with its version: `https://cards.example/partner/v1`. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** For servers alone: whoever reads it is your app. */
  readonly clientSecret: string;
  /** One of those that the shop has registered, letter for letter. */
  readonly redirectUri: string;
  /** Where tokens are kept: `fileTokenStore()` of `@cardport/client/node`, or three functions over your database. */
  readonly tokens: TokenStore;
  /** What is asked for; both read scopes and `offline_access` unless given. */
  readonly scopes?: readonly Scope[];
  /** The authorization server (`{auth_url}`), when you know it; else it is found by the service's metadata, once. */
  readonly authUrl?: string;
  /** What stands in for the platform's `fetch`: a proxy's, a test's. */
  readonly fetch?: Fetch;
  /** For one try of one call; 30,000 unless given, an hour at most. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** Milliseconds since 1970; by default the clock of this machine. */
  readonly now?: () => number;
  /** Your app's name and version, for the service's logs. */
  readonly userAgent?: string;
  /** Told before each repetition, for your log. */
  readonly onRetry?: (retry: RetryNews) => void;
}

/** Options whose every member can be used. Addresses are without a slash at their end. */
export interface CheckedOptions {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly authUrl: string | undefined;
}

/** In milliseconds. A try that takes longer than an hour has lost its connection long ago; a timer takes 24 days. */
const TIMEOUT_MS_MAX = 3_600_000;
/** In milliseconds: whoever wants to try for longer than a day keeps a list of what is to be done. */
const RETRY_MS_MAX = 86_400_000;
/** More than a day of the default's waits leaves time for. */
const TRIES_MAX = 1_000;
/** What a header takes. */
const USER_AGENT = /^[\x20-\x7e]{1,200}$/u;

/** Throws a `TypeError` that names the option and what it must be; never its value, which may be a secret. */
export function checkedOptions(options: PartnerAppOptions): CheckedOptions {
  check(
    isObject(options),
    'options must be an object: baseUrl, clientId, clientSecret, redirectUri, tokens',
  );
  const { clientId, clientSecret, redirectUri, tokens, scopes, authUrl } = options;
  check(
    isObject(tokens) &&
      ['load', 'save', 'remove'].every((name) => isFunction(Reflect.get(tokens, name))),
    'tokens must be a store: load, save and remove',
  );
  check(isText(clientId), 'clientId must be what the shop gave when it registered the app (app_…)');
  check(isText(clientSecret), 'clientSecret must be what the shop gave with the client id (cps_…)');
  check(
    isText(redirectUri) && URL.canParse(redirectUri) && !redirectUri.includes('#'),
    'redirectUri must be a whole address without #, as the shop has registered it',
  );
  if (scopes !== undefined) checkedScopes(scopes);
  checkSending(options);
  return {
    baseUrl: serviceUrl(options.baseUrl, 'baseUrl'),
    clientId,
    clientSecret,
    redirectUri,
    authUrl: authUrl === undefined ? undefined : serviceUrl(authUrl, 'authUrl'),
  };
}

/** The same scopes, when they are a list of them. */
export function checkedScopes(scopes: readonly Scope[]): readonly Scope[] {
  const given: unknown = scopes;
  const isList =
    Array.isArray(given) &&
    given.length > 0 &&
    given.every((scope) => isText(scope) && /^\S+$/u.test(scope));
  check(isList, 'scopes must name at least one scope, in a list, each as a text of its own');
  return scopes;
}

/** What would otherwise be found out at a call, or by a process that tries without end. */
function checkSending({ timeoutMs, retry, userAgent, ...options }: PartnerAppOptions): void {
  checkNumber('timeoutMs', timeoutMs, TIMEOUT_MS_MAX);
  check(retry === undefined || isObject(retry), 'retry must be an object, such as { triesMax: 3 }');
  const { triesMax, firstDelayMs, delayMsMax, totalMsMax } = retry ?? {};
  checkNumber('retry.triesMax', triesMax, TRIES_MAX);
  check(
    triesMax === undefined || Number.isInteger(triesMax),
    'retry.triesMax must be a whole number; 1 switches retries off',
  );
  checkNumber('retry.firstDelayMs', firstDelayMs, RETRY_MS_MAX);
  checkNumber('retry.delayMsMax', delayMsMax, RETRY_MS_MAX);
  checkNumber('retry.totalMsMax', totalMsMax, RETRY_MS_MAX);
  for (const name of ['fetch', 'now', 'onRetry'] as const) {
    const given = options[name];
    check(given === undefined || isFunction(given), `${name} must be a function`);
  }
  check(
    userAgent === undefined || (isText(userAgent) && USER_AGENT.test(userAgent)),
    'userAgent must be 1 to 200 characters of ASCII: name/version',
  );
}

function checkNumber(name: string, given: unknown, max: number): void {
  const isRight = given === undefined || (typeof given === 'number' && given >= 1 && given <= max);
  check(isRight, `${name} must be a number from 1 to ${max}`);
}

/** The client secret goes there, so it is https, or stays on this machine. */
function serviceUrl(given: unknown, name: string): string {
  check(
    isText(given) && URL.canParse(given),
    `${name} must be a whole address, such as https://cards.example/${name === 'baseUrl' ? 'partner/v1' : 'auth'}`,
  );
  const fault = faultOfAddress(given);
  check(fault === undefined, `${name} ${fault}`);
  return given.replace(/\/+$/u, '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function check(isRight: boolean, message: string): asserts isRight {
  if (!isRight) throw new TypeError(message);
}
