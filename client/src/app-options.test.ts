import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { validateOptions, validateScopes } from './app-options.ts';
import { memoryTokenStore } from './tokens.ts';

const RIGHT = {
  baseUrl: 'https://cards.example/partner/v1',
  clientId: 'app_1',
  clientSecret: 'cps_1',
  redirectUri: 'https://app.example/callback',
  tokens: memoryTokenStore(),
};

/** Returns the option that the error names, or undefined when the options are valid. */
function refusedOf(changes: object): string | undefined {
  try {
    validateOptions({ ...RIGHT, ...changes });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof TypeError, inspect(error));
    return error.message.split(' ')[0];
  }
}

describe('the options of an app', () => {
  it('are listed in the error if there is no options object', () => {
    for (const options of [undefined, null, 'https://cards.example/partner/v1']) {
      const given: readonly unknown[] = [options];
      assert.throws(
        () => Reflect.apply(validateOptions, undefined, given),
        /^TypeError: options must be an object/u,
      );
    }
  });

  it('are refused if invalid, with the name of the option in the error', () => {
    for (const [option, ...values] of [
      ['tokens', undefined, null, 'a folder', { load: () => null }],
      ['scopes', 'inventory:read', [], [''], ['inventory:read offline_access'], [7], null],
      ['timeoutMs', 0, -1, Number.NaN, Infinity, 3e9, 3_600_001, '30000', null],
      ['retry', null, 3, 'never'],
      ['fetch', 'fetch', null],
      ['now', 0],
      ['onRetry', true],
      ['userAgent', 7, '', 'kumo\nboard', '雲'],
    ] as const) {
      for (const value of values) {
        assert.equal(refusedOf({ [option]: value }), option, `${option}: ${inspect(value)}`);
      }
    }
    for (const bound of ['triesMax', 'firstDelayMs', 'delayMsMax', 'totalMsMax']) {
      for (const value of [0, -1, Number.NaN, Infinity, 86_400_001, '8', null]) {
        assert.equal(refusedOf({ retry: { [bound]: value } }), `retry.${bound}`, inspect(value));
      }
    }
    assert.equal(refusedOf({ retry: { triesMax: 1.5 } }), 'retry.triesMax');
  });

  it('are accepted up to their limits; undefined counts as not given', () => {
    for (const changes of [
      { timeoutMs: 1, userAgent: 'kumo-board/1.2 (+https://kumo.example)' },
      { timeoutMs: 3_600_000, retry: { triesMax: 1 } },
      { retry: { triesMax: 1_000, firstDelayMs: 1, delayMsMax: 86_400_000, totalMsMax: 0.5 + 1 } },
      { retry: { triesMax: undefined }, timeoutMs: undefined, scopes: undefined, fetch: undefined },
      { retry: undefined, now: undefined, onRetry: undefined, userAgent: undefined },
    ]) {
      assert.equal(refusedOf(changes), undefined, inspect(changes));
    }
  });

  it('must have an array of strings as scopes', () => {
    assert.deepEqual(validateScopes(['inventory:read']), ['inventory:read']);
    const wrong: readonly unknown[] = ['inventory:read'];
    assert.throws(
      () => Reflect.apply(validateScopes, undefined, wrong),
      /^TypeError: scopes must/u,
    );
  });
});
