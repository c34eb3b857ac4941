import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the SDK (`client/dist`) from its source, as `npm ci` did once. It takes a third of a
 * second.
 */
export function buildClient(): void {
  execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'client/tsconfig.build.json'],
    { cwd: ROOT, stdio: 'inherit' },
  );
  execFileSync(process.execPath, ['client/prune-dist.mjs'], { cwd: ROOT, stdio: 'inherit' });
}
