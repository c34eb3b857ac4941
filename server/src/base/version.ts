import { readFileSync } from 'node:fs';

export const VERSION = readVersion();

function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const isPackage = typeof parsed === 'object' && parsed !== null && 'version' in parsed;
  return isPackage ? String(parsed.version) : 'unknown';
}
