// npm runs this after an installation in a clone. The SDK is compiled where its compiler is: not with `--omit=dev`, where the
// service runs without it. Plain JavaScript, because it runs under the machine's Node.
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
