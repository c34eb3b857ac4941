// Removes the output of deleted sources: `node prune-dist.mjs [dist] [src]`. The compiler never
// removes files, and everything in `dist` is published. This file is plain JavaScript, because Node
// 20 runs it.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const [dist = join(here, 'dist'), src = join(here, 'src')] = process.argv.slice(2);

for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const source = /^(.+?)(?:\.d\.ts|\.js)$/.exec(name)?.[1];
  const isFolder = source === undefined && existsSync(join(src, name));
  if (isFolder || (source !== undefined && existsSync(join(src, `${source}.ts`)))) continue;
  rmSync(join(dist, name), { recursive: true, force: true });
}
