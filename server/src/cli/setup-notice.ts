import { describeError } from '../base/describe-error.ts';
import type { Service } from '../runtime/service.ts';
import { issueSetupCode, type IssueSetupCodeResult } from '../shops/setup-code.ts';
import { SETUP_PATH } from '../sign-in/setup-state.ts';

/** If there is no shop yet, prints the code with which the first one can be created on a page. */
export async function printSetupCode(
  { db, context, publicUrl }: Pick<Service, 'db' | 'context' | 'publicUrl'>,
  tell: (sentence: string) => void,
): Promise<void> {
  let result: IssueSetupCodeResult;
  try {
    result = await issueSetupCode(db, context.clock.now());
  } catch (error) {
    // The service already responds to requests, so a busy database must not end it.
    tell(`could not check whether a first shop must be created: ${describeError(error)}`);
    return;
  }
  if (result.kind === 'closed') return;
  const url = `${publicUrl}${SETUP_PATH}`;
  const until = result.expiresAt.toISOString();
  // The only line that shows the code. It does not go through the log, which hides secrets.
  tell(
    result.kind === 'issued'
      ? `there is no shop yet: create the first one at ${url} with the code ${result.code}, which works once, until ${until}`
      : `there is no shop yet: create the first one at ${url} with the code that an earlier start printed, which works until ${until}, or with "cardport shop add"`,
  );
}
