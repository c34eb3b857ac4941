import type { Fetch } from './platform.ts';
import type { RetryEvent, RetryPolicy } from './retry.ts';
import type { Scope } from './scope.ts';
import { findAddressProblem } from './service-address.ts';
import type { TokenStore } from './tokens.ts';

/** The options of `openPartnerApp`: the app's registration, and how the SDK calls the service. */
export interface PartnerAppOptions {
  /** The address of the Partner API with its version: `https://cards.example/partner/v1`. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** For servers only: never ship it to a browser or a phone. */
  readonly clientSecret: string;
  /** One of the redirect URIs that the shop registered. It must match character for character. */
  readonly redirectUri: string;
  /** `fileTokenStore()` from `@cardport/client/node`, or three functions that use your database. */
  readonly tokens: TokenStore;
  /** The scopes to ask for. Defaults to both read scopes and `offline_access`. */
  readonly scopes?: readonly Scope[];
  /** `{auth_url}`. By default the SDK discovers it once, from the service's metadata. */
  readonly authUrl?: string;
  /** Replaces the platform's `fetch`, for a proxy or a test. */
  readonly fetch?: Fetch;
  /** The limit of one attempt of one call. Defaults to 30,000; one hour at most. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** Returns milliseconds since the Unix epoch. Defaults to `Date.now`. */
  readonly now?: () => number;
  /** Your app's name and version. The SDK sends them in `User-Agent`, for the service's logs. */
  readonly userAgent?: string;
  /** Called before each retry, so that your app can log it. */
  readonly onRetry?: (retry: RetryEvent) => void;
}

/** The addresses have no trailing slash. */
export interface ValidatedOptions {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly authUrl: string | undefined;
}

/** A longer attempt has lost its connection anyway. Timers would overflow after 24 days. */
const TIMEOUT_MS_MAX = 3_600_000;
/** To retry for more than a day, an app needs a persistent queue. */
const RETRY_MS_MAX = 86_400_000;
/** More attempts than fit into a day with the default delays. */
const TRIES_MAX = 1_000;
/** Printable ASCII, which every header may contain. */
const USER_AGENT = /^[\x20-\x7e]{1,200}$/u;

/** Throws a `TypeError` that names the option, but never its value, which may be a secret. */
export function validateOptions(options: PartnerAppOptions): ValidatedOptions {
  check(
    isObject(options),
    'options must be an object with baseUrl, clientId, clientSecret, redirectUri and tokens',
  );
  const { clientId, clientSecret, redirectUri, tokens, scopes, authUrl } = options;
  check(
    isObject(tokens) &&
      ['load', 'save', 'remove'].every((name) => isFunction(Reflect.get(tokens, name))),
    'tokens must be a token store with the functions load, save and remove',
  );
  check(isText(clientId), 'clientId must be the id from the registration of the app (app_…)');
  check(
    isText(clientSecret),
    'clientSecret must be the secret from the registration of the app (cps_…)',
  );
  check(
    isText(redirectUri) && URL.canParse(redirectUri) && !redirectUri.includes('#'),
    'redirectUri must be a full URL without #, exactly as the shop registered it',
  );
  if (scopes !== undefined) validateScopes(scopes);
  checkRequestOptions(options);
  return {
    baseUrl: serviceUrl(options.baseUrl, 'baseUrl'),
    clientId,
    clientSecret,
    redirectUri,
    authUrl: authUrl === undefined ? undefined : serviceUrl(authUrl, 'authUrl'),
  };
}

export function validateScopes(scopes: readonly Scope[]): readonly Scope[] {
  const given: unknown = scopes;
  const isList =
    Array.isArray(given) &&
    given.length > 0 &&
    given.every((scope) => isText(scope) && /^\S+$/u.test(scope));
  check(isList, 'scopes must be an array with at least one scope');
  return scopes;
}

/** Rejects settings that would otherwise fail only at a call, or let a process retry forever. */
function checkRequestOptions({ timeoutMs, retry, userAgent, ...options }: PartnerAppOptions): void {
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
    'userAgent must be 1 to 200 printable ASCII characters, such as my-app/1.2',
  );
}

function checkNumber(name: string, given: unknown, max: number): void {
  const isValid = given === undefined || (typeof given === 'number' && given >= 1 && given <= max);
  check(isValid, `${name} must be a number from 1 to ${max}`);
}

/** The address must be https or on this machine, because the client secret is sent to it. */
function serviceUrl(given: unknown, name: string): string {
  check(
    isText(given) && URL.canParse(given),
    `${name} must be a full URL, such as https://cards.example/${name === 'baseUrl' ? 'partner/v1' : 'auth'}`,
  );
  const fault = findAddressProblem(given);
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

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new TypeError(message);
}
