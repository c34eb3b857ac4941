import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { listModules, SOURCE_FOLDER } from '../../test/statements.ts';

/**
 * Matches uses of undocumented `pg` members, of members that begin with an underscore, and of
 * patched prototypes.
 */
const REACH =
  /\.connection\.(?:stream|on|once|emit|prependListener)\b|\.\w+\._[a-z]|Reflect\.(?:get|set)\([^)]*'_|\.prototype(?:\.\w+ = |, ')|(?:new|extends) IncomingMessage\b|\battachListeners\b|\bgenerateTokenId\b/;

describe('undocumented library internals', () => {
  it('library internals are used only in the folder patches', () => {
    const found = listModules().filter((path) =>
      REACH.test(readFileSync(new URL(path, SOURCE_FOLDER), 'utf8')),
    );
    assert.deepEqual(found.toSorted(), [
      'patches/derived-request.ts',
      'patches/oidc-provider.ts',
      'patches/pg-connection.ts',
      'patches/pg-row-bytes.ts',
    ]);
  });
});
