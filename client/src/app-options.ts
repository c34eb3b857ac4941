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
  /** For one try of one call; 30,000 unless given. */
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

/** Throws a `TypeError` that names the option and what it must be; never its value, which may be a secret. */
export function checkedOptions(options: PartnerAppOptions): CheckedOptions {
  const { clientId, clientSecret, redirectUri, tokens, scopes, authUrl } = options;
  const isStore = ['load', 'save', 'remove'].every(
    (method) => typeof Reflect.get(tokens, method) === 'function',
  );
  check(isStore, 'tokens must be a store: load, save and remove');
  check(isText(clientId), 'clientId must be what the shop gave when it registered the app (app_…)');
  check(isText(clientSecret), 'clientSecret must be what the shop gave with the client id (cps_…)');
  check(
    isText(redirectUri) && URL.canParse(redirectUri) && !redirectUri.includes('#'),
    'redirectUri must be a whole address without #, as the shop has registered it',
  );
  check(
    scopes === undefined || (scopes.length > 0 && scopes.every((scope) => /^\S+$/u.test(scope))),
    'scopes must name at least one scope, each as a text of its own',
  );
  return {
    baseUrl: serviceUrl(options.baseUrl, 'baseUrl'),
    clientId,
    clientSecret,
    redirectUri,
    authUrl: authUrl === undefined ? undefined : serviceUrl(authUrl, 'authUrl'),
  };
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

function check(isRight: boolean, message: string): asserts isRight {
  if (!isRight) throw new TypeError(message);
}
