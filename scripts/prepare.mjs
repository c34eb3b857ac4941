// npm runs this after an installation in a clone. Compiles the SDK, unless its compiler is missing: the service, which
// `--omit=dev` installs, does not need the SDK. This file is JavaScript because it runs under the machine's Node.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
if (existsSync(`${root}node_modules/typescript/package.json`)) {
  const { status } = spawnSync('npm', ['run', 'build', '-w', 'client'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}
