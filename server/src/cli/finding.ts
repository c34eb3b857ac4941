import { describeError } from '../base/describe-error.ts';

/** The result of one check of `cardport doctor`. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** The recommended action. */
  readonly advice?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, status: 'warning', message, advice };
}

export function problem(check: string, message: string, advice: string): Finding {
  return { check, status: 'problem', message, advice };
}

/** A check that throws or takes too long is a problem, with the first line of the error. */
export async function checkWithin(
  seconds: number,
  check: string,
  advice: string,
  run: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no result within ${seconds} s`)), seconds * 1_000);
  });
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    return [problem(check, describeError(error).replace(/\n[^]*$/, ''), advice)];
  } finally {
    clearTimeout(timer);
  }
}
