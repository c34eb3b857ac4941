import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { readArguments } from './arguments.ts';
import type { CommandResult } from './command.ts';
import { memberAdd } from './member.ts';

/** Bytes in pieces of 1 KiB without end, and how many were asked for. */
function endless(first: string): { readonly bytes: Readable; readonly taken: () => number } {
  let taken = 0;
  function* pieces(): Generator<Buffer> {
    yield Buffer.from(first);
    for (;;) {
      taken += 1;
      // A defect shows itself instead of filling the memory.
      if (taken > 10_000) throw new Error('10 MiB were read');
      yield Buffer.alloc(1_024, 'x');
    }
  }
  return { bytes: Readable.from(pieces()), taken: () => taken };
}

async function add(bytes: Readable): Promise<CommandResult> {
  const options = ['--shop', 'a', '--email', 'a@a.example', '--name', 'A', '--password-stdin'];
  const asked = readArguments(memberAdd, options);
  assert.ok(asked.kind === 'arguments');
  // A password that is refused is refused before the database is asked.
  const context = {} as never;
  const input = { bytes, signal: new AbortController().signal, tell: assert.ifError };
  return await memberAdd.run(asked.args, context, input);
}

describe('a password from an input without end', () => {
  it('is not read past its first line', async () => {
    const { bytes, taken } = endless('short\nlong enough\n');
    const reason = 'the password is shorter than 8 characters';
    assert.deepEqual(await add(bytes), { kind: 'misused', reason });
    assert.ok(taken() < 100, `${taken()} KiB`);
    assert.ok(bytes.destroyed);
  });

  it('is refused when its first line is longer than a password can be', async () => {
    const { bytes, taken } = endless('');
    const reason = 'the password is longer than 1,024 bytes';
    assert.deepEqual(await add(bytes), { kind: 'misused', reason });
    assert.ok(taken() < 100, `${taken()} KiB`);
  });
});
