import { readFileSync } from 'node:fs';
import { errorCodeOf } from '../base/describe-error.ts';
import { SECRETS } from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Sets each variable `NAME` to the content of the file that `NAME_FILE` names. If the file cannot
 * be used, reports a problem and leaves the variable unset.
 */
export function readSecretFiles(environment: Environment): {
  readonly environment: Environment;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const contents: Record<string, string> = {};
  for (const name of SECRETS) {
    const variable = `${name}_FILE`;
    const path = environment[variable]?.trim() ?? '';
    if (path === '') continue;
    if ((environment[name]?.trim() ?? '') !== '') {
      problems.push(`${variable} and ${name} are both set: set only one of them`);
      continue;
    }
    try {
      contents[name] = readFileSync(path, 'utf8');
    } catch (error) {
      problems.push(`${variable} names ${path}, which cannot be read (${errorCodeOf(error)})`);
      continue;
    }
    if (contents[name].trim() === '') problems.push(`${variable} names ${path}, which is empty`);
  }
  return { environment: { ...environment, ...contents }, problems };
}
