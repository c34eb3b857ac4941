// npm runs this after an installation in a clone. It refuses a Node that is too old, then compiles the SDK if the compiler is
// installed. `npm ci --omit=dev` installs only the service, which does not need the SDK. This file is JavaScript because it
// runs under the machine's Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

// On an older Node, npm leaves out optional packages, such as the decoder of images, and reports
// success.
const { engines } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const [needed, own] = [engines.node.slice('>='.length), process.version.slice('v'.length)];
if (own.localeCompare(needed, 'en', { numeric: true }) < 0) {
  console.error(
    `Cardport requires Node ${needed} or later, but this is Node ${own}, so npm skipped some packages. ` +
      'Install a newer Node, then repeat the command.',
  );
  process.exit(1);
}

if (existsSync(`${root}node_modules/typescript/package.json`)) {
  const { status } = spawnSync('npm', ['run', 'build', '-w', 'client'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}
