import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/cardport.ts';
import { runCardportInProcess } from '../../test/cardport-in-process.ts';

/**
 * The arguments that make each shell source the script in `$1` and print the completions of the
 * words after it.
 */
const SHELLS: Readonly<Record<string, readonly string[]>> = {
  bash: [
    '--norc',
    '-c',
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cardport; printf "%s\\n" "${COMPREPLY[@]}"',
    'bash',
  ],
  // Replaces zsh's completion functions: `_describe` prints the matching choices.
  zsh: [
    '-f',
    '-c',
    'compdef() { : }; _files() { : }; _describe() { print -l -- ${(M)${choices%%:*}:#$current*} }; source $1; shift; words=("$@"); CURRENT=$#; _cardport',
    'zsh',
  ],
  fish: [
    '--no-config',
    '-c',
    'source $argv[1]; complete -C (string join -- " " $argv[2..]) | string replace -r "\\t.*" ""',
  ],
};

const CASES = [
  { typed: ['ser'], offered: ['serve'] },
  { typed: ['in'], offered: ['inventory'] },
  { typed: ['shop', 'a'], offered: ['add'] },
  { typed: ['member', ''], offered: ['add', 'list', 'set'] },
  { typed: ['key', 'add', '--'], offered: ['--help', '--json', '--name', '--shop'] },
  { typed: ['app', 'add', '--share-cost', '--sc'], offered: ['--scope'] },
  { typed: ['backup', '--j'], offered: ['--json'] },
  { typed: ['nonsense', ''], offered: [] },
] as const;

describe('cardport completion', () => {
  for (const [shell, command] of Object.entries(SHELLS)) {
    const { error } = spawnSync(shell, ['--version']);
    const skip = error === undefined ? false : `${shell} is not installed`;
    it(`the script completes commands and options in ${shell}`, { skip }, async () => {
      using folder = temporaryFolder();
      const script = join(folder.path, 'script');
      const printed = await runCardportInProcess(['completion', shell]);
      assert.equal(printed.code, 0, printed.stderr);
      writeFileSync(script, printed.stdout);
      for (const { typed, offered } of CASES) {
        const run = spawnSync(shell, [...command, script, 'cardport', ...typed], {
          encoding: 'utf8',
          env: { ...process.env, HOME: folder.path },
        });
        assert.equal(run.stderr, '');
        const words = run.stdout.split('\n').filter((word) => word !== '');
        assert.deepEqual(words.toSorted(), offered, typed.join(' '));
      }
    });
  }

  it('the script for bash offers files where a file or a value is expected', async () => {
    using folder = temporaryFolder();
    const script = join(folder.path, 'script');
    const { stdout } = await runCardportInProcess(['completion', 'bash']);
    writeFileSync(script, stdout);
    // Without completions the shell offers files (`complete -o default`).
    for (const typed of [
      ['backup', ''],
      ['inventory', 'import', '--shop', ''],
      ['inventory', 'import', '--shop', 'a', ''],
    ]) {
      const words = [
        '-c',
        'source "$1"; complete -p cardport; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cardport; echo ${#COMPREPLY[@]}',
      ];
      const run = spawnSync('bash', ['--norc', ...words, 'bash', script, 'cardport', ...typed], {
        encoding: 'utf8',
      });
      assert.match(run.stdout, /-o default .*\n0\n$/, typed.join(' '));
    }
  });

  it('completion refuses another shell', async () => {
    const { code, stderr } = await runCardportInProcess(['completion', 'tcsh']);
    assert.equal(code, 2);
    assert.match(stderr, /bash, zsh, fish\nTry: cardport completion --help\n$/);
  });
});
